/** A placeholder of a prompt as its author declared it. */
export interface Variable {
    name: string;
    description: string;
    type: 'string' | 'number' | 'integer' | 'boolean' | 'enum';
    required: boolean;
    default: string | number | boolean | null;
    /** What an `enum` may be; empty otherwise. */
    options: readonly string[];
    example: string | number | boolean | null;
}
/** One version: it never changes once it is published. */
export interface VersionRecord {
    full_name: string;
    version: string;
    content: string;
    content_sha256: string;
    variables: Variable[];
    parameters: Record<string, unknown>;
}
/** A warning of a maintainer about some versions. */
export interface Advisory {
    /** Which versions it is about, as a range. */
    range: string;
    severity: string;
    message: string;
}
/** What may change of a repository. */
export interface RepositoryRecord {
    full_name: string;
    status: string;
    status_message: string | null;
    latest_version: string | null;
    labels: Record<string, string>;
    /** Active versions, highest first. */
    versions: string[];
    advisories?: Advisory[];
    /** The latest version whole, where the hub sends it. */
    content?: string | null;
    content_sha256?: string | null;
    variables?: Variable[];
    parameters?: Record<string, unknown>;
}
/** A version in the list of versions. */
export interface VersionRow {
    version: string;
    yanked: boolean;
    yank_reason: string | null;
    content_sha256: string;
}
/** @throws PromptHubError `unavailable` when the text is no list of versions */
export declare function readVersionList(text: string, url: string): VersionRow[];
/** @throws PromptHubError `unavailable` when the text is no version record: whoever answered is no hub */
export declare function readVersionRecord(text: string, url: string): VersionRecord;
/** @throws PromptHubError `unavailable` when the text is no repository record */
export declare function readRepositoryRecord(text: string, url: string): RepositoryRecord;
/** The latest version as it stands in a repository's record; undefined when it does not stand there. */
export declare function latestOf(record: RepositoryRecord): VersionRecord | undefined;
/** Whether a value is a JSON object. */
export declare function isObject(value: unknown): value is Record<string, unknown>;
