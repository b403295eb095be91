// Extracts the path and query from a request's URL. The URL is already normalised, so splitting it is faster than parsing it again.

const ADDRESS = /^[^:]+:\/\/[^/?#]*([^?#]*)(\?[^#]+)?/

/** Returns the path of a request's URL, undecoded. @param url of a Request */
export function pathOf(url: string): string {
  return ADDRESS.exec(url)?.[1] ?? ''
}

/** Returns the query of a request's URL, including the question mark; empty if there is none. @param url of a Request */
export function queryOf(url: string): string {
  return ADDRESS.exec(url)?.[2] ?? ''
}
