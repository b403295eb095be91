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
/** A prompt's repository as it is now. Unlike a version, it may change. */
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
/** Reads a list of versions. @throws PromptHubError `unavailable` when the text is none */
export declare function readVersionList(text: string, url: string): VersionRow[];
/** Reads a version's record. @throws PromptHubError `unavailable` when the text is none, for then something else than a hub has answered */
export declare function readVersionRecord(text: string, url: string): VersionRecord;
/** Reads what a hub or a lock says of a version's placeholders, with what is left out filled in. @returns undefined when it is none of that */
export declare function readVariables(value: unknown): Variable[] | undefined;
/** Reads a repository's record. @throws PromptHubError `unavailable` when the text is none */
export declare function readRepositoryRecord(text: string, url: string): RepositoryRecord;
/** The latest version out of a repository's record; undefined when the record does not hold it whole. */
export declare function latestOf(record: RepositoryRecord): VersionRecord | undefined;
/** Whether a value is a JSON object. */
export declare function isObject(value: unknown): value is Record<string, unknown>;
