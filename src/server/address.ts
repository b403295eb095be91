// Owns cutting the address of a Request, which is in its usual form already, so that parsing it again would be for nothing.

const ADDRESS = /^[^:]+:\/\/[^/?#]*([^?#]*)(\?[^#]+)?/

/** The path of a request's address, undecoded. @param url as a Request has it */
export function pathOf(url: string): string {
  return ADDRESS.exec(url)?.[1] ?? ''
}

/** The query of a request's address with its question mark; empty without one. @param url as a Request has it */
export function queryOf(url: string): string {
  return ADDRESS.exec(url)?.[2] ?? ''
}
