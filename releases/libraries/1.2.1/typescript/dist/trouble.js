// The errors of this library: one exception whose code tells what to do.
/** The only exception of this library. */
export class PromptHubError extends Error {
    name = 'PromptHubError';
    /** What went wrong. */
    code;
    /** The HTTP status, if the hub responded. */
    status;
    /** With `invalid_values`: all problems. */
    problems;
    constructor(code, message, options = {}) {
        super(message, { cause: options.cause });
        this.code = code;
        this.status = options.status;
        this.problems = options.problems ?? [];
    }
}
