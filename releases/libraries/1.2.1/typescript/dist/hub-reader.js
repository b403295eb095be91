// Reads prompts from a hub without a lock: resolves the requested version, chooses the URLs to read, and reports notices about the prompts in use.
import { AnswerCache } from "./cache.js";
import { factsOf, slower } from "./prompt.js";
import { highestIn } from "./ranges.js";
import { readRepositoryRecord, readVersionList, readVersionRecord, } from "./records.js";
import { eventsOf, standingOf } from "./standing.js";
import { PromptHubError } from "./trouble.js";
/** Maximum number of reported events that are remembered. Beyond that no more are reported, because any of them might be a repetition. */
const MAX_REPORTED = 10_000;
/** The prompts of a hub. */
export class HubReader {
    #url;
    #onEvent;
    #versions;
    #repositories;
    #lists;
    #reported = new Set();
    /** @param url the hub's URL, without a trailing slash */
    constructor(url, settings, onEvent) {
        this.#url = url;
        this.#onEvent = onEvent;
        this.#versions = new AnswerCache(readVersionRecord, settings);
        this.#repositories = new AnswerCache(readRepositoryRecord, settings);
        this.#lists = new AnswerCache(readVersionList, settings);
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
            const list = await this.#readEither(this.#lists, `repos/${name}/versions`, true, (rows) => highestIn(activeOf(rows), wish.range) !== undefined);
            const version = highestIn(activeOf(list.value), wish.range);
            if (version === undefined)
                throw notFound(`${name} has no active version in ${wish.range}.`);
            return this.#readVersion(name, version, list, ['record']);
        }
        const record = await this.#readEither(this.#repositories, `repos/${name}`, true, ({ labels }) => wish === undefined || labelled(labels, wish.label) !== undefined);
        const { labels, latest, latest_version } = record.value;
        // The record contains the full latest version, so the most common call takes one request.
        if (!wish && latest)
            return this.#factsFrom(name, latest, record, []);
        const version = wish ? labelled(labels, wish.label) : latest_version;
        if (!version)
            throw notFound(wish ? noLabel(name, wish.label, labels) : `${name} has no active version.`);
        return this.#readVersion(name, version, record, []);
    }
    /** The versions of a prompt, highest first, including yanked ones, which are marked. @throws PromptHubError the error of the request */
    async listVersions(name) {
        return (await this.#readEither(this.#lists, `repos/${name}/versions`, true)).value;
    }
    /**
     * @param found where the version's number was read; undefined when the caller gave it, because then it cannot change
     * @param unread the records that may contain notices and were not read for this call
     */
    async #readVersion(name, version, found, unread) {
        const answer = await this.#readEither(this.#versions, `repos/${name}/versions/${version}`, false);
        if (answer.value.version !== version)
            throw new PromptHubError('integrity', `${name}@${version}: the hub returned ${answer.value.version}.`);
        const source = found ? slower(found.source, answer.source) : answer.source;
        return this.#factsFrom(name, answer.value, { source, ageMs: found?.ageMs ?? 0 }, unread);
    }
    #factsFrom(name, record, { source, ageMs }, unread) {
        if (record.full_name !== name)
            throw new PromptHubError('integrity', `${name}: the hub returned ${record.full_name}.`);
        this.#watch(name, record.version, unread);
        return { ...factsOf(record), source, ageMs, standing: this.#standingOf(name, record.version) };
    }
    /** Reports the notices about a version once the unread records have arrived. Does not wait for them, and reports nothing if they are unavailable. */
    #watch(name, version, unread) {
        if (unread.length === 0) {
            this.#report(name, version);
            return;
        }
        const reads = unread.map((each) => each === 'record'
            ? this.#repositories.get(this.#fileUrl(`repos/${name}`), true)
            : this.#lists.get(this.#fileUrl(`repos/${name}/versions`), true));
        Promise.all(reads).then(() => this.#report(name, version), () => {
            // The prompt was returned anyway, and the next call tries again.
        });
    }
    /** Reports each notice about a version once. */
    #report(name, version) {
        for (const event of eventsOf(name, version, this.#standingOf(name, version))) {
            const key = JSON.stringify(event);
            if (this.#reported.has(key) || this.#reported.size >= MAX_REPORTED)
                continue;
            this.#reported.add(key);
            this.#onEvent(event);
        }
    }
    #standingOf(name, version) {
        const record = this.#repositories.peek(this.#fileUrl(`repos/${name}`));
        return standingOf(version, record, this.#lists.peek(this.#fileUrl(`repos/${name}/versions`)));
    }
    #fileUrl(path) {
        return `${this.#url}/data/v1/${path}.json`;
    }
    /**
     * Reads the static file first, because every mirror has it and it has no rate limit. If the file is missing or insufficient, it asks the API, which also has what was published since the last build.
     *
     * @param path of the response in the API, below `/api/v1`
     * @param changes whether the response can change
     * @param isEnough whether the file is sufficient
     */
    async #readEither(cache, path, changes, isEnough = () => true) {
        let answer;
        let refusal;
        try {
            answer = await cache.get(this.#fileUrl(path), changes);
            if (isEnough(answer.value))
                return answer;
        }
        catch (error) {
            if (!(error instanceof PromptHubError) || error.code !== 'not_found')
                throw error;
            refusal = error;
        }
        try {
            return await cache.get(`${this.#url}/api/v1/${path}`, changes);
        }
        catch (error) {
            // A mirror has no API, so the result is the file, or that it does not exist.
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
function notFound(message) {
    return new PromptHubError('not_found', message);
}
