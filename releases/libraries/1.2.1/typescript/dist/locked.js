// Reads prompts under a lock: only those in it, from vendored files if they exist, with every byte verified.
import { AnswerCache } from "./cache.js";
import { findVariables } from "./filling.js";
import { factsOf } from "./prompt.js";
import { satisfies } from "./ranges.js";
import { readVersionRecord } from "./records.js";
import { PromptHubError } from "./trouble.js";
import { requireDigest } from "./verify.js";
/** Locked prompts. */
export class LockReader {
    #url;
    #given;
    #versions;
    #records;
    #settings;
    #onEvent;
    #vendored = new Map();
    #trouble;
    constructor(url, given, settings, onEvent) {
        this.#url = url;
        this.#given = given;
        this.#settings = settings;
        this.#onEvent = onEvent;
        this.#versions = new AnswerCache(readVersionRecord, settings);
        // These records only add to an available text, so a failed request is not retried.
        this.#records = new AnswerCache(readVersionRecord, { ...settings, requests: { ...settings.requests, retries: 0 } });
    }
    /**
     * Gets the locked version.
     *
     * @param wish must match the lock
     * @throws PromptHubError `not_locked` or `integrity`, and without a vendored file the errors of a request
     */
    async get(name, wish) {
        const { prompts } = this.#given.lock;
        const locked = Object.hasOwn(prompts, name) ? prompts[name] : undefined;
        if (!locked)
            throw new PromptHubError('not_locked', `${name} is not in prompts.lock. Add it: hubcli add ${name}`);
        requireLocked(name, wish, locked);
        const content = await this.#readVendored(name, locked);
        if (content !== undefined && locked.details)
            return factsOfLocked(name, locked, content, locked.details);
        const url = `${this.#url}/data/v1/repos/${name}/versions/${locked.version}.json`;
        if (content === undefined) {
            const { value, source } = await this.#versions.get(url, false);
            requireSame(name, locked, value);
            return { ...factsOf(value), source, ageMs: 0, standing: undefined };
        }
        const record = await this.#findRecord(url, name, locked);
        return factsOfLocked(name, locked, content, record ?? { variables: findVariables(content), parameters: {} });
    }
    /**
     * Finds the record of a vendored prompt, because a lock of format 1 has neither variables nor parameters. After a failure, no request is sent for a while, so that an offline program does not wait in each call.
     *
     * @returns undefined when it is unavailable
     */
    async #findRecord(url, name, locked) {
        try {
            const known = this.#records.peek(url);
            if (!known && this.#trouble && this.#settings.now() < this.#trouble.until)
                throw this.#trouble.cause;
            const record = known ?? (await this.#records.get(url, false)).value;
            requireSame(name, locked, record);
            return record;
        }
        catch (error) {
            if (error instanceof PromptHubError && error.code === 'integrity')
                throw error;
            if (error instanceof PromptHubError && error.code === 'unavailable' && error !== this.#trouble?.cause)
                this.#trouble = { until: this.#settings.now() + this.#settings.freshMs, cause: error };
            this.#onEvent({ type: 'variables_unknown', name, cause: error });
            return undefined;
        }
    }
    /** @returns the text of a vendored file, verified once per process; undefined if there is no file */
    async #readVendored(name, { path, sha256 }) {
        const known = this.#vendored.get(sha256);
        if (known !== undefined)
            return known;
        const bytes = await this.#given.readFile(path);
        if (!bytes)
            return undefined;
        await requireDigest(bytes, sha256, `${path}, the vendored ${name}`);
        const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
        this.#vendored.set(sha256, text);
        return text;
    }
}
/** Requires that the requested version matches the lock. Only the lock chooses versions, so any other request is rejected and not ignored. @throws PromptHubError `not_locked` */
function requireLocked(name, wish, { range, version }) {
    const isMet = wish === undefined ||
        (wish.kind === 'version' && wish.version === version) ||
        (wish.kind === 'range' && (wish.range === range || satisfies(version, wish.range))) ||
        (wish.kind === 'label' && wish.label === range);
    if (!isMet)
        throw new PromptHubError('not_locked', `prompts.lock has ${name} ${range} at ${version}, which does not match the request.`);
}
function factsOfLocked(name, { version, sha256 }, content, { variables, parameters }) {
    return { name, version, content, sha256, variables, parameters, source: 'lock', ageMs: 0, standing: undefined };
}
function requireSame(name, { version, sha256 }, record) {
    if (record.content_sha256 !== sha256)
        throw new PromptHubError('integrity', `${name}@${version}: the hub has other bytes than prompts.lock.`);
}
