import { type Wish } from './ranges.ts';
/** The requested version; default: the latest. */
export interface GetOptions {
    /** Exactly this version. */
    version?: string;
    /** The highest active version in this range: `^1.2`, `~1.2.3`, `1.x`, `*`. */
    range?: string;
    /** The version with this label. */
    label?: string;
    /** The text to use when the hub cannot be reached and nothing is cached; never used for a prompt that does not exist. */
    fallback?: string;
}
/** Parses the arguments of `get`. @throws PromptHubError `invalid_request` for invalid arguments */
export declare function parseArguments(name: string, { version, range, label }: GetOptions): {
    fullName: string;
    wish: Wish | undefined;
};
