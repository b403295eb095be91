// Extracts path and query from a request's URL. The URL is already normalised, so cutting it is faster than parsing it again.

const ADDRESS = /^[^:]+:\/\/[^/?#]*([^?#]*)(\?[^#]+)?/

/** The path of a request's address, undecoded. @param url of a Request */
export function pathOf(url: string): string {
  return ADDRESS.exec(url)?.[1] ?? ''
}

/** The query of a request's address with its question mark; empty without one. @param url of a Request */
export function queryOf(url: string): string {
  return ADDRESS.exec(url)?.[2] ?? ''
}
