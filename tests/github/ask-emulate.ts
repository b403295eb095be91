// Sends requests to emulate, each on its own connection.

/**
 * `fetch` without a connection that is kept. Emulate runs in the process of the test, and ends idle connections after 5 seconds; while a test waits for
 * a command such as `git fsck` the loop stands still, so the next call would be sent over a connection that ends in the same turn: ECONNRESET.
 */
export function askEmulate(url: string, { headers, ...init }: RequestInit): Promise<Response> {
  const all = new Headers(headers)
  all.set('connection', 'close')
  return fetch(url, { ...init, headers: all })
}
