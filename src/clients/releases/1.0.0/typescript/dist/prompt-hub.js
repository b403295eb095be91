// Owns the library's front door: a hub, and getting a prompt from it.
import { HUB_URL } from "./address.js";
import { AnswerCache } from "./cache.js";
import { isHubAddress } from "./lock.js";
import { factsOf, fallbackFacts, makePrompt, slower } from "./prompt.js";
import { readQuestion, requireLocked } from "./question.js";
import { highestIn, satisfies } from "./ranges.js";
import { readRepositoryRecord, readVersionList, readVersionRecord, } from "./records.js";
import { PromptHubError } from "./trouble.js";
import { findVariables, requireDigest } from "./verify.js";
export { fillContent } from "./filling.js";
export { formatLock, parseLock } from "./lock.js";
export { highestIn, isRange, isVersion, readWish, satisfies } from "./ranges.js";
export { PromptHubError } from "./trouble.js";
/** A hub that prompts come from. */
export class PromptHub {
    /** The hub's address, without a final slash. */
    url;
    #lock;
    #versions;
    #repositories;
    #lists;
    #onEvent;
    #said = new Set();
    #vendored = new Map();
    /** @throws PromptHubError `invalid_request` when the address cannot be one */
    constructor(options = {}) {
        this.url = (options.url ?? options.lock?.lock.hub ?? HUB_URL).replace(/\/$/, '');
        if (!isHubAddress(this.url))
            throw new PromptHubError('invalid_request', `url: expected the address of a hub, got ${JSON.stringify(this.url)}`);
        this.#lock = options.lock;
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
        this.#versions = new AnswerCache(async (text, url) => {
            const record = readVersionRecord(text, url);
            await requireDigest(new TextEncoder().encode(record.content), record.content_sha256, `${record.full_name}@${record.version}`);
            return record;
        }, settings);
        this.#repositories = new AnswerCache(readRepositoryRecord, settings);
        this.#lists = new AnswerCache(readVersionList, settings);
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
            const facts = await (this.#lock ? this.#getLocked(this.#lock, fullName, wish) : this.#getFrom(fullName, wish));
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
            return this.#readVersion(name, wish.version, undefined);
        if (wish?.kind === 'range') {
            const list = await this.#readEither(this.#lists, `repos/${name}/versions.json`, `repos/${name}/versions`, (rows) => highestIn(activeOf(rows), wish.range) !== undefined);
            const version = highestIn(activeOf(list.value), wish.range);
            if (version === undefined)
                throw notThere(`${name} has no active version in ${wish.range}.`);
            return this.#readVersion(name, version, list);
        }
        const record = await this.#readEither(this.#repositories, `repos/${name}.json`, `repos/${name}`, ({ labels }) => wish === undefined || labelled(labels, wish.label) !== undefined);
        const { labels, latest_version } = record.value;
        const version = wish ? labelled(labels, wish.label) : latest_version;
        if (!version)
            throw notThere(wish ? noLabel(name, wish.label, labels) : `${name} has no active version.`);
        return this.#readVersion(name, version, record);
    }
    /** @param found where the version's number came from; undefined when the caller gave it, and then it cannot change */
    async #readVersion(name, version, found) {
        const { value, source } = await this.#readEither(this.#versions, `repos/${name}/versions/${version}.json`, `repos/${name}/versions/${version}`, () => true, false);
        if (value.full_name !== name || value.version !== version)
            throw new PromptHubError('integrity', `${name}@${version}: the hub answered ${value.full_name}@${value.version}.`);
        this.#askStanding(name, version, found === undefined);
        return {
            ...factsOf(value),
            source: found?.source === 'stale' ? 'stale' : (found && slower(found.source, source)) || source,
            ageMs: found?.ageMs ?? 0,
            standing: this.#standingOf(name, version),
        };
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
    async #getLocked({ lock, readFile }, name, wish) {
        const locked = Object.hasOwn(lock.prompts, name) ? lock.prompts[name] : undefined;
        if (!locked)
            throw new PromptHubError('not_locked', `${name} is not in prompts.lock. Add it: hubcli add ${name}`);
        requireLocked(name, wish, locked);
        const content = await this.#readVendored(name, locked, readFile);
        let record;
        let cause;
        try {
            const answer = await this.#versions.get(`${this.url}/data/v1/repos/${name}/versions/${locked.version}.json`, false);
            if (answer.value.content_sha256 !== locked.sha256)
                throw new PromptHubError('integrity', `${name}@${locked.version}: the hub has other bytes than prompts.lock.`);
            record = answer.value;
            if (content === undefined)
                return { ...factsOf(record), source: answer.source, ageMs: 0, standing: undefined };
        }
        catch (error) {
            if (content === undefined || (error instanceof PromptHubError && error.code === 'integrity'))
                throw error;
            cause = error;
        }
        if (!record)
            this.#onEvent({ type: 'variables_unknown', name, cause });
        return {
            name,
            version: locked.version,
            content,
            sha256: locked.sha256,
            variables: record?.variables ?? findVariables(content),
            parameters: record?.parameters ?? {},
            source: 'lock',
            ageMs: 0,
            standing: undefined,
        };
    }
    /** @returns the text of a vendored file, checked once a process; undefined when there is no file */
    async #readVendored(name, { path, sha256 }, readFile) {
        const known = this.#vendored.get(sha256);
        if (known !== undefined)
            return known;
        const bytes = await readFile(path);
        if (!bytes)
            return undefined;
        await requireDigest(bytes, sha256, `${path}, the vendored ${name}`);
        const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
        this.#vendored.set(sha256, text);
        return text;
    }
    /** Asks in the background what the owner says of a prompt; nobody waits for it, and its failure is nobody's. */
    #askStanding(name, version, isPinned) {
        const asked = [this.#repositories.get(`${this.url}/data/v1/repos/${name}.json`, true)];
        if (isPinned)
            asked.push(this.#lists.get(`${this.url}/data/v1/repos/${name}/versions.json`, true));
        Promise.all(asked)
            .then(() => {
            const standing = this.#standingOf(name, version);
            if (standing)
                this.#sayStanding(name, version, standing);
        })
            .catch(() => {
            // What was got is right either way; the next call asks again.
        });
    }
    #standingOf(name, version) {
        const record = this.#repositories.peek(`${this.url}/data/v1/repos/${name}.json`);
        const rows = this.#lists.peek(`${this.url}/data/v1/repos/${name}/versions.json`);
        if (!record && !rows)
            return undefined;
        const row = rows?.find((each) => each.version === version);
        return {
            deprecated: record && record.status !== 'active' ? (record.status_message ?? record.status) : null,
            yanked: row?.yanked ? (row.yank_reason ?? 'yanked') : null,
            advisories: record?.advisories?.filter(({ range }) => satisfies(version, range)) ?? [],
        };
    }
    #sayStanding(name, version, { deprecated, yanked, advisories }) {
        if (deprecated !== null)
            this.#sayOnce({ type: 'deprecated', name, message: deprecated });
        if (yanked !== null)
            this.#sayOnce({ type: 'yanked', name, version, reason: yanked });
        for (const { severity, message } of advisories)
            this.#sayOnce({ type: 'advisory', name, version, severity, message });
    }
    #sayOnce(event) {
        const key = JSON.stringify(event);
        if (this.#said.has(key) || this.#said.size >= 10_000)
            return;
        this.#said.add(key);
        this.#onEvent(event);
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
