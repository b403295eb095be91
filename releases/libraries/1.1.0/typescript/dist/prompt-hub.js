// Owns what a program imports: a hub with its settings, getting a prompt from it, and every other name that the package exports.
import { HUB_URL } from "./address.js";
import { HubReader } from "./hub-reader.js";
import { isHubAddress } from "./lock.js";
import { LockReader } from "./locked.js";
import { fallbackFacts, makePrompt } from "./prompt.js";
import { readQuestion } from "./question.js";
import { readVersionRecord } from "./records.js";
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
    #hub;
    #locked;
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
                // An error in the program's own function is no reason to fail a read.
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
        this.#hub = new HubReader(this.url, readVersion, settings, this.#onEvent);
        this.#locked = options.lock && new LockReader(this.url, options.lock, readVersion, settings, this.#onEvent);
    }
    /**
     * Gets a prompt.
     *
     * @param name `owner/name`, or with a wish behind it: `owner/name@^1.2`, `owner/name@production`
     * @throws PromptHubError `invalid_request` when name or wish cannot be one, `not_found`, `refused` or `unavailable` as the hub answered, `integrity` when
     * bytes are not what they should be; under a lock also `not_locked`
     */
    async get(name, options = {}) {
        const { fullName, wish } = readQuestion(name, options);
        try {
            const facts = await (this.#locked?.get(fullName, wish) ?? this.#hub.get(fullName, wish));
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
     * Lists the versions of a prompt, highest first, yanked ones included and marked. A lock changes nothing about it.
     *
     * @param name `owner/name`
     * @throws PromptHubError as `get`
     */
    async listVersions(name) {
        return this.#hub.listVersions(readQuestion(name, {}).fullName);
    }
}
