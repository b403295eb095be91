import { type RequestOptions } from './requests.ts';
/** Options of a client for changes. */
export interface ManageOptions extends RequestOptions {
    /** The hub's URL; default: that of the hub from which this library was downloaded. */
    url?: string;
    /** A token with the permission `label` or `maintain`. Sent only over https, or to this machine itself. */
    token: string;
}
/** The changeable fields of a repository; null clears optional ones. Omitted fields stay unchanged. */
export interface RepositoryChanges {
    title?: string;
    description?: string;
    tags?: readonly string[];
    license?: string | null;
    status?: 'active' | 'deprecated' | 'archived';
    status_message?: string | null;
    replaced_by?: string | null;
    moved_to?: string | null;
    readme?: string;
}
/** The result of a change. */
export interface ChangeResult {
    /** Whether nothing needed to change. */
    unchanged: boolean;
    /** The commit of the change, or null. */
    commit: {
        sha: string;
        url: string | null;
    } | null;
}
/**
 * Changes prompts on a hub. Each call makes one commit, or none when nothing changes, so a call may be repeated. Every call throws PromptHubError: `invalid_request` when nothing was sent, `not_found`, `refused` (with `status` 403 for a missing permission, 409 when `expected` differs) or `unavailable` according to the hub's response.
 */
export declare class HubManager {
    #private;
    /** @throws PromptHubError `invalid_request` for an invalid URL or token */
    constructor(options: ManageOptions);
    /** Points a label at a version. @param expected the version it must point at now, or null if the label must not exist */
    setLabel(name: string, label: string, version: string, expected?: string | null): Promise<ChangeResult>;
    /** Removes a label. */
    removeLabel(name: string, label: string, expected?: string): Promise<ChangeResult>;
    /** Yanks a version. @param reason 1 to 500 characters */
    yank(name: string, version: string, reason: string): Promise<ChangeResult>;
    /** Undoes a yank. */
    unyank(name: string, version: string): Promise<ChangeResult>;
    /** Changes title, description, tags, licence, status and related fields, or the readme. */
    change(name: string, changes: RepositoryChanges): Promise<ChangeResult>;
}
