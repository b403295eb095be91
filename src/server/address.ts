// Extracts the path and query from a request's URL. Splits the string, which is already normalised, because parsing it again would be slower.

const ADDRESS = /^[^:]+:\/\/[^/?#]*([^?#]*)(\?[^#]+)?/

/** Returns the path of a request's URL, undecoded. @param url of a Request */
export function pathOf(url: string): string {
  return ADDRESS.exec(url)?.[1] ?? ''
}

/** Returns the query of a request's URL, including the question mark; empty if there is none. @param url of a Request */
export function queryOf(url: string): string {
  return ADDRESS.exec(url)?.[2] ?? ''
}
