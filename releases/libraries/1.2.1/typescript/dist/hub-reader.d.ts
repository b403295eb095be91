import { type CacheSettings } from './cache.ts';
import { type PromptFacts } from './prompt.ts';
import { type Wish } from './ranges.ts';
import { type VersionRow } from './records.ts';
import { type HubEvent } from './standing.ts';
/** The prompts of a hub. */
export declare class HubReader {
    #private;
    /** @param url the hub's URL, without a trailing slash */
    constructor(url: string, settings: CacheSettings, onEvent: (event: HubEvent) => void);
    /**
     * Gets the requested version.
     *
     * @param name `owner/name`
     * @param wish the latest version when undefined
     * @throws PromptHubError `not_found` when there is no such prompt, version or label; `integrity` when the response does not match; or the error of the request
     */
    get(name: string, wish: Wish | undefined): Promise<PromptFacts>;
    /** The versions of a prompt, highest first, including yanked ones, which are marked. @throws PromptHubError the error of the request */
    listVersions(name: string): Promise<readonly VersionRow[]>;
}
