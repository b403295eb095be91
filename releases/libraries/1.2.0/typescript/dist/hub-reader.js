// Reads prompts from a hub without a lock: resolves the requested version, and chooses the addresses to read.
import { AnswerCache } from "./cache.js";
import { factsOf, slower } from "./prompt.js";
import { highestIn } from "./ranges.js";
import { latestOf, readRepositoryRecord, readVersionList, } from "./records.js";
import { StandingWatch } from "./standing.js";
import { PromptHubError } from "./trouble.js";
import { requireRecord } from "./verify.js";
/** The prompts of a hub. */
export class HubReader {
    #url;
    #versions;
    #repositories;
    #lists;
    #standing;
    /**
     * @param url the hub's address, without a final slash
     * @param readVersion reads and verifies a version's record
     */
    constructor(url, readVersion, settings, onEvent) {
        this.#url = url;
        this.#versions = new AnswerCache(readVersion, settings);
        this.#repositories = new AnswerCache(async (text, address) => {
            const record = readRepositoryRecord(text, address);
            const latest = latestOf(record);
            if (latest)
                await requireRecord(latest);
            return record;
        }, settings);
        this.#lists = new AnswerCache(readVersionList, settings);
        this.#standing = new StandingWatch(url, this.#repositories, this.#lists, onEvent);
    }
    /**
     * Gets the requested version.
     *
     * @param name `owner/name`
     * @param wish the latest version when undefined
     * @throws PromptHubError `not_found` when there is no such prompt, version or label; `integrity` when the response does not match; or the error of the request
     */
    async get(name, wish) {
        if (wish?.kind === 'version')
            return this.#readVersion(name, wish.version, undefined, ['record', 'list']);
        if (wish?.kind === 'range') {
            const list = await this.#readEither(this.#lists, `repos/${name}/versions.json`, `repos/${name}/versions`, (rows) => highestIn(activeOf(rows), wish.range) !== undefined);
            const version = highestIn(activeOf(list.value), wish.range);
            if (version === undefined)
                throw notThere(`${name} has no active version in ${wish.range}.`);
            return this.#readVersion(name, version, list, ['record']);
        }
        const record = await this.#readEither(this.#repositories, `repos/${name}.json`, `repos/${name}`, ({ labels }) => wish === undefined || labelled(labels, wish.label) !== undefined);
        const { labels, latest_version } = record.value;
        // The record contains the full latest version, so the most common call takes one request.
        const latest = wish ? undefined : latestOf(record.value);
        if (latest)
            return this.#factsFrom(name, latest, record, []);
        const version = wish ? labelled(labels, wish.label) : latest_version;
        if (!version)
            throw notThere(wish ? noLabel(name, wish.label, labels) : `${name} has no active version.`);
        return this.#readVersion(name, version, record, []);
    }
    /** The versions of a prompt, highest first, including yanked ones, which are marked. @throws PromptHubError the error of the request */
    async listVersions(name) {
        return (await this.#readEither(this.#lists, `repos/${name}/versions.json`, `repos/${name}/versions`, () => true))
            .value;
    }
    /**
     * @param found where the version's number was read; undefined when the caller gave it, because then it cannot change
     * @param unasked the unread records that may contain notices about the version: whether it was yanked, or an advisory
     */
    async #readVersion(name, version, found, unasked) {
        const answer = await this.#readEither(this.#versions, `repos/${name}/versions/${version}.json`, `repos/${name}/versions/${version}`, () => true, false);
        if (answer.value.version !== version)
            throw new PromptHubError('integrity', `${name}@${version}: the hub answered ${answer.value.version}.`);
        const source = found ? slower(found.source, answer.source) : answer.source;
        return this.#factsFrom(name, answer.value, { source, ageMs: found?.ageMs ?? 0 }, unasked);
    }
    #factsFrom(name, record, { source, ageMs }, unasked) {
        if (record.full_name !== name)
            throw new PromptHubError('integrity', `${name}: the hub answered with ${record.full_name}.`);
        this.#standing.ask(name, record.version, unasked);
        return { ...factsOf(record), source, ageMs, standing: this.#standing.of(name, record.version) };
    }
    /**
     * Reads the static file first, because every mirror has it and it has no rate limit. If the file is missing or insufficient, the API is asked: it also knows publishes since the last build.
     *
     * @param isEnough whether the file is sufficient
     * @param changes whether the response can change
     */
    async #readEither(cache, file, address, isEnough, changes = true) {
        let answer;
        let refusal;
        try {
            answer = await cache.get(`${this.#url}/data/v1/${file}`, changes);
            if (isEnough(answer.value))
                return answer;
        }
        catch (error) {
            if (!(error instanceof PromptHubError) || error.code !== 'not_found')
                throw error;
            refusal = error;
        }
        try {
            return await cache.get(`${this.#url}/api/v1/${address}`, changes);
        }
        catch (error) {
            // A mirror has no API, so there the file, or its absence, is the answer.
            if (answer)
                return answer;
            throw error instanceof PromptHubError && error.code === 'not_found' ? error : (refusal ?? error);
        }
    }
}
function activeOf(rows) {
    return rows.filter(({ yanked }) => !yanked).map(({ version }) => version);
}
/** Only an own property is a label: every object inherits `constructor`, which may be requested like any other name. */
function labelled(labels, label) {
    return Object.hasOwn(labels, label) ? labels[label] : undefined;
}
function noLabel(name, label, labels) {
    const names = Object.keys(labels);
    return `${name} has no label ${label}. ${names.length === 0 ? 'It has none.' : `It has ${names.join(', ')}.`}`;
}
function notThere(message) {
    return new PromptHubError('not_found', message);
}
