// Owns what is kept of the hub's answers: in memory always, and in a store of the program's own where it gives one; how old an answer may be is decided here.
import { ask } from "./requests.js";
import { PromptHubError } from "./trouble.js";
/** Most answers held in memory; the one that was not asked for longest goes first. */
const MOST_KEPT = 1_000;
/** Answers of one shape, each asked for once however many callers want it. */
export class AnswerCache {
    #entries = new Map();
    #underWay = new Map();
    #parse;
    #settings;
    /** @param parse reads an answer; what it throws is the caller's, and nothing is kept */
    constructor(parse, settings) {
        this.#parse = parse;
        this.#settings = settings;
    }
    /**
     * What stands at an address.
     *
     * @param changes whether it may ever change; what does not is never asked for twice
     * @throws PromptHubError what the hub answered, or `unavailable` when nothing is kept that could stand in
     */
    async get(url, changes) {
        const entry = this.#touch(url);
        if (entry) {
            const ageMs = this.#settings.now() - entry.kept.checkedAt;
            if (!changes || ageMs < this.#settings.freshMs)
                return { value: entry.value, source: 'memory', ageMs };
            if (ageMs < this.#settings.freshMs + this.#settings.revalidateMs) {
                this.#settings.onStale(url, ageMs, undefined);
                this.#share(url, changes).catch(() => {
                    // Whoever asks next, after the time is up, is told.
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
                // The hub's own word, such as 404, ends what was known: it may have been withdrawn on purpose.
                if (error instanceof PromptHubError && (error.code === 'not_found' || error.code === 'refused'))
                    await this.#forget(url);
                throw error;
            }
            const ageMs = now() - known.kept.checkedAt;
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
            // What a store cannot forget is checked again before it is ever given as fresh.
        });
    }
    /** What cannot be read, or is not what it says, is as good as not there. */
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
            // A full disk costs a request later, nothing now.
        });
    }
}
