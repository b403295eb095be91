// Owns taking path and query out of a Request's address. It stands there in its normal form already, so it is cut and not parsed again, which would take longer.

const ADDRESS = /^[^:]+:\/\/[^/?#]*([^?#]*)(\?[^#]+)?/

/** The path of a request's address, undecoded. @param url as a Request has it */
export function pathOf(url: string): string {
  return ADDRESS.exec(url)?.[1] ?? ''
}

/** The query of a request's address with its question mark; empty without one. @param url as a Request has it */
export function queryOf(url: string): string {
  return ADDRESS.exec(url)?.[2] ?? ''
}
