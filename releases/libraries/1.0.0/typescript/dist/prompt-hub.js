// Owns the library's front door: a hub, and getting a prompt from it.
import { HUB_URL } from "./address.js";
import { AnswerCache } from "./cache.js";
import { isHubAddress } from "./lock.js";
import { LockReader } from "./locked.js";
import { factsOf, fallbackFacts, makePrompt, slower } from "./prompt.js";
import { readQuestion } from "./question.js";
import { highestIn } from "./ranges.js";
import { latestOf, readRepositoryRecord, readVersionList, readVersionRecord, } from "./records.js";
import { StandingWatch } from "./standing.js";
import { PromptHubError } from "./trouble.js";
import { requireRecord } from "./verify.js";
export { fillContent } from "./filling.js";
export { formatLock, parseLock } from "./lock.js";
export { highestIn, isRange, isVersion, readWish, satisfies } from "./ranges.js";
export { PromptHubError } from "./trouble.js";
/** A hub that prompts come from. */
export class PromptHub {
    /** The hub's address, without a final slash. */
    url;
    #locked;
    #versions;
    #repositories;
    #lists;
    #standing;
    #onEvent;
    /** @throws PromptHubError `invalid_request` when the address cannot be one */
    constructor(options = {}) {
        this.url = (options.url ?? options.lock?.lock.hub ?? HUB_URL).replace(/\/$/, '');
        if (!isHubAddress(this.url))
            throw new PromptHubError('invalid_request', `url: expected the address of a hub, got ${JSON.stringify(this.url)}`);
        this.#onEvent = (event) => {
            try {
                options.onEvent?.(event);
            }
            catch {
                // Whoever is told may fail; that is no reason to fail a read.
            }
        };
        const settings = {
            freshMs: options.freshMs ?? 60_000,
            revalidateMs: options.revalidateMs ?? 600_000,
            store: options.store,
            now: Date.now,
            onStale: (url, ageMs, cause) => this.#onEvent({ type: 'stale', url, ageMs, cause }),
            requests: {
                fetch: options.fetch ?? ((...given) => fetch(...given)),
                timeoutMs: options.timeoutMs ?? 5_000,
                retries: options.retries ?? 2,
                deadlineMs: options.deadlineMs ?? 15_000,
            },
        };
        const readVersion = (text, url) => requireRecord(readVersionRecord(text, url));
        this.#versions = new AnswerCache(readVersion, settings);
        this.#repositories = new AnswerCache(async (text, url) => {
            const record = readRepositoryRecord(text, url);
            const latest = latestOf(record);
            if (latest)
                await requireRecord(latest);
            return record;
        }, settings);
        this.#lists = new AnswerCache(readVersionList, settings);
        this.#standing = new StandingWatch(this.url, this.#repositories, this.#lists, this.#onEvent);
        this.#locked = options.lock && new LockReader(this.url, options.lock, readVersion, settings, this.#onEvent);
    }
    /**
     * Gets a prompt.
     *
     * @param name `owner/name`, or with a wish behind it: `owner/name@^1.2`, `owner/name@production`
     * @throws PromptHubError
     */
    async get(name, options = {}) {
        const { fullName, wish } = readQuestion(name, options);
        try {
            const facts = await (this.#locked?.get(fullName, wish) ?? this.#getFrom(fullName, wish));
            return makePrompt(facts);
        }
        catch (error) {
            if (options.fallback === undefined || !(error instanceof PromptHubError) || error.code !== 'unavailable')
                throw error;
            this.#onEvent({ type: 'fallback', name: fullName, cause: error });
            return makePrompt(fallbackFacts(fullName, options.fallback));
        }
    }
    /**
     * The versions of a prompt, highest first, yanked ones included and marked.
     *
     * @param name `owner/name`
     */
    async listVersions(name) {
        const { fullName } = readQuestion(name, {});
        return (await this.#readEither(this.#lists, `repos/${fullName}/versions.json`, `repos/${fullName}/versions`, () => true)).value;
    }
    async #getFrom(name, wish) {
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
        // The record holds the latest version whole: one request for what is asked for most.
        const latest = wish ? undefined : latestOf(record.value);
        if (latest)
            return this.#factsFrom(name, latest, record, []);
        const version = wish ? labelled(labels, wish.label) : latest_version;
        if (!version)
            throw notThere(wish ? noLabel(name, wish.label, labels) : `${name} has no active version.`);
        return this.#readVersion(name, version, record, []);
    }
    /**
     * @param found where the version's number came from; undefined when the caller gave it, and then it cannot change
     * @param unasked what was not asked for on the way and may say something of the version
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
    /** The plain file, which no limit counts and every mirror has; the API where it knows more: a publish is there before the next build. */
    async #readEither(cache, file, address, isEnough, changes = true) {
        const fileUrl = `${this.url}/data/v1/${file}`;
        let answer;
        let refusal;
        try {
            answer = await cache.get(fileUrl, changes);
            if (isEnough(answer.value))
                return answer;
        }
        catch (error) {
            if (!(error instanceof PromptHubError) || error.code !== 'not_found')
                throw error;
            refusal = error;
        }
        try {
            return await cache.get(`${this.url}/api/v1/${address}`, changes);
        }
        catch (error) {
            // A mirror has no API: what its file said, or that it is missing, is the answer.
            if (answer)
                return answer;
            throw error instanceof PromptHubError && error.code === 'not_found' ? error : (refusal ?? error);
        }
    }
}
function activeOf(rows) {
    return rows.filter(({ yanked }) => !yanked).map(({ version }) => version);
}
/** Labels are other people's words: `constructor` is none unless somebody gave it. */
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
