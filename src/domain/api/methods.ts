// Owns the methods that addresses have. It stands alone, so that a function which only refuses loads no schema.

/** A method of HTTP that some address has. */
export type Method = 'GET' | 'HEAD' | 'OPTIONS' | 'POST'

/** What every address of the API can be asked. */
export const READ_METHODS = ['GET', 'HEAD', 'OPTIONS'] as const satisfies readonly Method[]
