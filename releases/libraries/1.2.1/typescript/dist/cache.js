// Caches the hub's responses in memory and in an optional store, and decides how old a response may be.
import { ask } from "./requests.js";
import { PromptHubError } from "./trouble.js";
/** Maximum number of responses in memory. Beyond that, the least recently used one is dropped. */
const MAX_KEPT = 1_000;
/** Responses of one type. Concurrent callers share one request. */
export class AnswerCache {
    #entries = new Map();
    #underWay = new Map();
    #parse;
    #settings;
    /** @param parse parses a response; when it throws, the caller gets its error and the response is not cached */
    constructor(parse, settings) {
        this.#parse = parse;
        this.#settings = settings;
    }
    /**
     * Gets the response for a URL.
     *
     * @param changes whether the response can change; one that cannot is requested only once
     * @throws PromptHubError the hub's error, or `unavailable` when it cannot be reached and nothing is cached
     */
    async get(url, changes) {
        const entry = this.#entries.get(url);
        if (entry) {
            this.#remember(url, entry);
            const ageMs = this.#settings.now() - entry.kept.checkedAt;
            // After a clock was set back, the age of a response is unknown.
            const isKnown = ageMs >= 0;
            if (!changes || (isKnown && ageMs < this.#settings.freshMs))
                return { value: entry.value, source: 'memory', ageMs };
            if (isKnown && ageMs < this.#settings.freshMs + this.#settings.revalidateMs) {
                this.#settings.onStale(url, ageMs, undefined);
                this.#share(url, changes).catch(() => {
                    // This caller has a response. Once that is too old, the next caller waits for the hub and gets its error.
                });
                return { value: entry.value, source: 'stale', ageMs };
            }
        }
        return this.#share(url, changes);
    }
    /** Responses in memory, without a request. */
    peek(url) {
        return this.#entries.get(url)?.value;
    }
    #share(url, changes) {
        const underWay = this.#underWay.get(url);
        if (underWay !== undefined)
            return underWay;
        const asking = this.#find(url, changes).finally(() => this.#underWay.delete(url));
        this.#underWay.set(url, asking);
        return asking;
    }
    async #find(url, changes) {
        const { now, freshMs } = this.#settings;
        const known = this.#entries.get(url);
        if (known)
            return this.#askHub(url, known);
        const stored = await this.#readStore(url);
        if (stored) {
            this.#remember(url, stored);
            const ageMs = now() - stored.kept.checkedAt;
            if (!changes || (ageMs >= 0 && ageMs < freshMs))
                return { value: stored.value, source: 'disk', ageMs };
        }
        return this.#askHub(url, stored);
    }
    async #askHub(url, known) {
        const { now, requests, onStale } = this.#settings;
        try {
            const reply = await ask(url, known?.kept.etag, requests);
            if (reply.kind === 'unchanged' && !known)
                throw new PromptHubError('unavailable', `${url} returned 304 without a cached response.`);
            const kept = reply.kind === 'new'
                ? { text: reply.text, etag: reply.etag, checkedAt: now() }
                : { ...known.kept, checkedAt: now() };
            const value = reply.kind === 'new' ? await this.#parse(reply.text, url) : known.value;
            this.#remember(url, { value, kept });
            await this.#writeStore(url, kept);
            return { value, source: 'network', ageMs: 0 };
        }
        catch (error) {
            if (!(error instanceof PromptHubError) || error.code !== 'unavailable' || error.status === 429 || !known) {
                // When the hub reports that something does not exist, the cached response is removed too: it may have been withdrawn on purpose.
                if (error instanceof PromptHubError && (error.code === 'not_found' || error.code === 'refused'))
                    await this.#forget(url);
                throw error;
            }
            const ageMs = Math.max(0, now() - known.kept.checkedAt);
            onStale(url, ageMs, error);
            return { value: known.value, source: 'stale', ageMs };
        }
    }
    /** Caches a response, as the most recently used one. */
    #remember(url, entry) {
        this.#entries.delete(url);
        this.#entries.set(url, entry);
        if (this.#entries.size > MAX_KEPT)
            this.#entries.delete(this.#entries.keys().next().value);
    }
    async #forget(url) {
        this.#entries.delete(url);
        await this.#settings.store?.remove(url).catch(() => {
            // The store may return it once more later; this caller gets the hub's error anyway.
        });
    }
    /** Reads from the store. Anything that cannot be read or parsed counts as absent, so that it is requested from the hub. */
    async #readStore(url) {
        try {
            const kept = await this.#settings.store?.read(url);
            return kept && { kept, value: await this.#parse(kept.text, url) };
        }
        catch {
            return undefined;
        }
    }
    async #writeStore(url, kept) {
        await this.#settings.store?.write(url, kept).catch(() => {
            // A response that does not fit on a full disk is simply requested again later.
        });
    }
}
