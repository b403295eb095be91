// Owns what can go wrong for a program, as one exception whose code tells what to do.
/** The one exception of this library. */
export class PromptHubError extends Error {
    name = 'PromptHubError';
    /** What went wrong. */
    code;
    /** The HTTP status, when the hub answered. */
    status;
    /** With `invalid_values`: everything that is wrong with them. */
    problems;
    constructor(code, message, options = {}) {
        super(message, { cause: options.cause });
        this.code = code;
        this.status = options.status;
        this.problems = options.problems ?? [];
    }
}
