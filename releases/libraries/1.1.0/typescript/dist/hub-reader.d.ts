import { type CacheSettings } from './cache.ts';
import { type PromptFacts } from './prompt.ts';
import { type Wish } from './ranges.ts';
import { type VersionRecord, type VersionRow } from './records.ts';
import { type HubEvent } from './standing.ts';
/** Prompts as a hub has them now. */
export declare class HubReader {
    #private;
    /**
     * @param url the hub's address, without a final slash
     * @param readVersion reads and checks a version's record
     */
    constructor(url: string, readVersion: (text: string, url: string) => Promise<VersionRecord>, settings: CacheSettings, onEvent: (event: HubEvent) => void);
    /**
     * Gets the version that a wish means.
     *
     * @param name `owner/name`
     * @param wish the latest version when undefined
     * @throws PromptHubError `not_found` when there is no such prompt, version or label; `integrity` when the hub answered with something else; or what asking it threw
     */
    get(name: string, wish: Wish | undefined): Promise<PromptFacts>;
    /** The versions of a prompt, highest first, yanked ones included and marked. @throws PromptHubError what asking the hub threw */
    listVersions(name: string): Promise<readonly VersionRow[]>;
}
