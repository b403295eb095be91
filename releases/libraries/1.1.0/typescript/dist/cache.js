// Owns what is kept of the hub's answers: in memory always, and in a store of the program's own where it gives one; how old an answer may be is decided here.
import { ask } from "./requests.js";
import { PromptHubError } from "./trouble.js";
/** So many answers are held in memory. Beyond that, the one that has not been asked for the longest is dropped. */
const MOST_KEPT = 1_000;
/** Answers of one shape. Callers that want the same one at the same time share one request. */
export class AnswerCache {
    #entries = new Map();
    #underWay = new Map();
    #parse;
    #settings;
    /** @param parse reads an answer; when it throws, the caller gets its error and the answer is not kept */
    constructor(parse, settings) {
        this.#parse = parse;
        this.#settings = settings;
    }
    /**
     * Gets the answer of an address.
     *
     * @param changes whether it may ever change; one that may not is asked for only once
     * @throws PromptHubError what the hub answered, or `unavailable` when it cannot be reached and nothing is kept
     */
    async get(url, changes) {
        const entry = this.#touch(url);
        if (entry) {
            const ageMs = this.#settings.now() - entry.kept.checkedAt;
            // A clock that was put back says nothing of how old an answer is.
            const isKnown = ageMs >= 0;
            if (!changes || (isKnown && ageMs < this.#settings.freshMs))
                return { value: entry.value, source: 'memory', ageMs };
            if (isKnown && ageMs < this.#settings.freshMs + this.#settings.revalidateMs) {
                this.#settings.onStale(url, ageMs, undefined);
                this.#share(url, changes).catch(() => {
                    // This caller has an answer. Once that is too old, the next caller waits for the hub and gets its error.
                });
                return { value: entry.value, source: 'stale', ageMs };
            }
        }
        return this.#share(url, changes);
    }
    /** What is held in memory, without asking anybody. */
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
        const known = this.#entries.get(url) ?? (await this.#readStore(url));
        if (known) {
            const ageMs = now() - known.kept.checkedAt;
            if (!this.#entries.has(url)) {
                this.#remember(url, known);
                if (!changes || (ageMs >= 0 && ageMs < freshMs))
                    return { value: known.value, source: 'disk', ageMs };
            }
        }
        return this.#askHub(url, known);
    }
    async #askHub(url, known) {
        const { now, requests, onStale } = this.#settings;
        try {
            const reply = await ask(url, known?.kept.etag, requests);
            if (reply.kind === 'unchanged' && !known)
                throw new PromptHubError('unavailable', `${url} says that nothing changed, though nothing was known.`);
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
                // When the hub itself says that there is nothing, what was kept goes too: it may have been withdrawn on purpose.
                if (error instanceof PromptHubError && (error.code === 'not_found' || error.code === 'refused'))
                    await this.#forget(url);
                throw error;
            }
            const ageMs = Math.max(0, now() - known.kept.checkedAt);
            onStale(url, ageMs, error);
            return { value: known.value, source: 'stale', ageMs };
        }
    }
    #touch(url) {
        const entry = this.#entries.get(url);
        if (entry && this.#entries.size >= MOST_KEPT)
            this.#remember(url, entry);
        return entry;
    }
    #remember(url, entry) {
        this.#entries.delete(url);
        this.#entries.set(url, entry);
        if (this.#entries.size > MOST_KEPT)
            this.#entries.delete(this.#entries.keys().next().value);
    }
    async #forget(url) {
        this.#entries.delete(url);
        await this.#settings.store?.remove(url).catch(() => {
            // The store may give it once more later; the caller gets the hub's refusal now all the same.
        });
    }
    /** Reads what the store has. What cannot be read or parsed counts as not there, so that the hub is asked. */
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
            // An answer that a full disk does not take is only asked for again later.
        });
    }
}
