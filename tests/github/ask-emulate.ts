// Sends requests to emulate, each on its own connection.

/** The tokens of the bot that owns the repositories. Many, because emulate refuses a token after 5,000 requests an hour and needs several for one of GitHub's. */
export const BOT_TOKENS: readonly string[] = Array.from({ length: 40 }, (_, number) => `ghp_bottoken${number}`)
let asked = 0

/**
 * `fetch` without a connection that is kept. Emulate runs in the process of the test, and ends idle connections after 5 seconds; while a test waits for
 * a command such as `git fsck` the loop stands still, so the next call would be sent over a connection that ends in the same turn: ECONNRESET.
 * Requests of the bot take its tokens in turn.
 */
export function askEmulate(url: string, { headers, ...init }: RequestInit): Promise<Response> {
  const all = new Headers(headers)
  all.set('connection', 'close')
  const token = all.get('authorization')?.split(' ')[1]
  if (token !== undefined && BOT_TOKENS.includes(token))
    all.set('authorization', `token ${BOT_TOKENS[++asked % BOT_TOKENS.length]}`)
  return fetch(url, { ...init, headers: all })
}
