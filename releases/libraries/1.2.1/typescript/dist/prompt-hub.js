// The main module: a hub with its options, getting a prompt from it, and every other export of the package.
import { HUB_URL } from "./address.js";
import { parseArguments } from "./arguments.js";
import { HubReader } from "./hub-reader.js";
import { isHubUrl } from "./lock.js";
import { LockReader } from "./locked.js";
import { fallbackFacts, makePrompt } from "./prompt.js";
import { requestSettings } from "./requests.js";
import { PromptHubError } from "./trouble.js";
export { fillChat, forAnthropic, forGemini, splitChat, } from "./chat.js";
export { fillContent } from "./filling.js";
export { formatLock, parseLock } from "./lock.js";
export { HubManager } from "./manage.js";
export { highestIn, isRange, isVersion, readWish, satisfies } from "./ranges.js";
export { PromptHubError } from "./trouble.js";
/** A hub to get prompts from. */
export class PromptHub {
    /** The hub's URL, without a trailing slash. */
    url;
    #hub;
    #locked;
    #onEvent;
    /** @throws PromptHubError `invalid_request` for an invalid URL */
    constructor(options = {}) {
        this.url = (options.url ?? options.lock?.lock.hub ?? HUB_URL).replace(/\/$/, '');
        if (!isHubUrl(this.url))
            throw new PromptHubError('invalid_request', `url: expected the URL of a hub, got ${JSON.stringify(this.url)}`);
        this.#onEvent = (event) => {
            try {
                options.onEvent?.(event);
            }
            catch {
                // An error in the program's own function must not make a read fail.
            }
        };
        const settings = {
            freshMs: options.freshMs ?? 60_000,
            revalidateMs: options.revalidateMs ?? 600_000,
            store: options.store,
            now: Date.now,
            onStale: (url, ageMs, cause) => this.#onEvent({ type: 'stale', url, ageMs, cause }),
            requests: requestSettings(options),
        };
        this.#hub = new HubReader(this.url, settings, this.#onEvent);
        this.#locked = options.lock && new LockReader(this.url, options.lock, settings, this.#onEvent);
    }
    /**
     * Gets a prompt.
     *
     * @param name `owner/name`, optionally with a version, range or label: `owner/name@^1.2`, `owner/name@production`
     * @throws PromptHubError `invalid_request` for an invalid name or version, `not_found`, `refused` or `unavailable` according to the hub's response, `integrity` for a checksum mismatch; under a lock also `not_locked`
     */
    async get(name, options = {}) {
        const { fullName, wish } = parseArguments(name, options);
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
     * Lists the versions of a prompt, highest first, including yanked ones, which are marked. Not affected by a lock.
     *
     * @param name `owner/name`
     * @throws PromptHubError like `get`
     */
    async listVersions(name) {
        return this.#hub.listVersions(parseArguments(name, {}).fullName);
    }
}
