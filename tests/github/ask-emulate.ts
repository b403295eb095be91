// Sends requests to emulate, each on its own connection.

/**
 * The tokens of the bot that owns the repositories. There are many, because emulate rejects a token after 5,000
 * requests an hour and one GitHub call needs several requests.
 */
export const BOT_TOKENS: readonly string[] = Array.from({ length: 40 }, (_, number) => `ghp_bottoken${number}`)
let asked = 0

/**
 * `fetch` without keep-alive. Emulate runs in the test process and closes idle connections after 5 seconds. While a
 * test waits for a command such as `git fsck`, the event loop is blocked. The next call could then use a connection
 * that is closed in the same turn, and fail with ECONNRESET. The bot's requests rotate through its tokens.
 */
export function askEmulate(url: string, { headers, ...init }: RequestInit): Promise<Response> {
  const all = new Headers(headers)
  all.set('connection', 'close')
  const token = all.get('authorization')?.split(' ')[1]
  if (token !== undefined && BOT_TOKENS.includes(token))
    all.set('authorization', `token ${BOT_TOKENS[++asked % BOT_TOKENS.length]}`)
  return fetch(url, { ...init, headers: all })
}
