/** A declared variable of a prompt. */
export interface Variable {
    name: string;
    description: string;
    type: 'string' | 'number' | 'integer' | 'boolean' | 'enum';
    required: boolean;
    default: string | number | boolean | null;
    /** The allowed values of an `enum`; empty otherwise. */
    options: readonly string[];
    example: string | number | boolean | null;
}
/** One version; it never changes after publishing. */
export interface VersionRecord {
    full_name: string;
    version: string;
    content: string;
    content_sha256: string;
    variables: Variable[];
    parameters: Record<string, unknown>;
}
/** An advisory about some versions. */
export interface Advisory {
    /** The affected versions, as a range. */
    range: string;
    severity: string;
    message: string;
}
/** The current state of a prompt's repository. Unlike a version, it may change. */
export interface RepositoryRecord {
    full_name: string;
    status: string;
    status_message: string | null;
    latest_version: string | null;
    labels: Record<string, string>;
    advisories?: Advisory[];
    /** The full latest version, if the record contains all of it. */
    latest: VersionRecord | undefined;
}
/** A version in the list of versions. */
export interface VersionRow {
    version: string;
    yanked: boolean;
    yank_reason: string | null;
    content_sha256: string;
}
/** Parses a list of versions. @throws PromptHubError `unavailable` when the text is invalid */
export declare function readVersionList(text: string, url: string): VersionRow[];
/**
 * Parses a version's record and verifies its content.
 *
 * @throws PromptHubError `unavailable` when the text is invalid, because then something other than a hub has responded; `integrity` when the content does not match the record's own SHA-256
 */
export declare function readVersionRecord(text: string, url: string): Promise<VersionRecord>;
/** Parses the variables in a hub's response or in a lock, adding the defaults of omitted fields. @returns undefined when invalid */
export declare function readVariables(value: unknown): Variable[] | undefined;
/** Parses a repository's record and verifies the latest version in it. @throws PromptHubError like `readVersionRecord` */
export declare function readRepositoryRecord(text: string, url: string): Promise<RepositoryRecord>;
/** Whether a value is a JSON object. */
export declare function isObject(value: unknown): value is Record<string, unknown>;
