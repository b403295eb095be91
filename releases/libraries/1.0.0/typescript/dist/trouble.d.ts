/**
 * What went wrong:
 * - `invalid_request`: the call itself is wrong; nothing was sent.
 * - `not_found`: the hub answered that there is no such prompt, version, label, or version in the range.
 * - `refused`: the hub answered with another 4xx.
 * - `unavailable`: no usable answer in time: network trouble, 5xx or 429, after all tries.
 * - `integrity`: bytes are not what the lock or the hub's own digest says.
 * - `not_locked`: a lock is in force and does not name what was asked for.
 * - `invalid_values`: values do not fill the prompt; `problems` names each.
 */
export type TroubleCode = 'invalid_request' | 'not_found' | 'refused' | 'unavailable' | 'integrity' | 'not_locked' | 'invalid_values';
/** One thing that is wrong with the values that a prompt is filled with. */
export interface ValueProblem {
    kind: 'missing' | 'unknown' | 'invalid' | 'too_large';
    /** The variable; empty when it is the text as a whole. */
    name: string;
    /** What was expected. */
    message: string;
}
/** The one exception of this library. */
export declare class PromptHubError extends Error {
    readonly name = "PromptHubError";
    /** What went wrong. */
    readonly code: TroubleCode;
    /** The HTTP status, when the hub answered. */
    readonly status: number | undefined;
    /** With `invalid_values`: everything that is wrong with them. */
    readonly problems: readonly ValueProblem[];
    constructor(code: TroubleCode, message: string, options?: {
        status?: number;
        problems?: readonly ValueProblem[];
        cause?: unknown;
    });
}
