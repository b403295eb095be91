// Sends requests to emulate, each on its own connection.
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'

/**
 * The tokens of the bot that owns the repositories. There are many, because emulate rejects a token after 5,000
 * requests an hour and one GitHub call needs several requests.
 */
export const BOT_TOKENS: readonly string[] = Array.from({ length: 40 }, (_, number) => `ghp_bottoken${number}`)
let asked = 0

/**
 * Works like `fetch`, but without keep-alive and redirects. Emulate runs in the test process and closes idle connections
 * after 5 seconds. While a test waits for a command such as `git fsck`, the event loop is blocked. The next call could
 * then use a connection that is closed in the same turn, and fail with ECONNRESET. `fetch` would make an error with a
 * stack trace of each connection that ends. The bot's requests rotate through its tokens.
 */
export async function askEmulate(
  url: string,
  { method = 'GET', headers, body }: { method?: string; headers: HeadersInit; body?: string | ArrayBuffer | null },
): Promise<Response> {
  const all = new Headers(headers)
  const token = all.get('authorization')?.split(' ')[1]
  if (token !== undefined && BOT_TOKENS.includes(token))
    all.set('authorization', `token ${BOT_TOKENS[++asked % BOT_TOKENS.length]}`)
  const sent = request(url, { method, headers: Object.fromEntries(all), agent: false })
  sent.end(typeof body === 'string' ? body : body ? Buffer.from(body) : undefined)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk)
  const answered = new Headers()
  for (const [name, values] of Object.entries(answer.headersDistinct))
    for (const value of values ?? []) answered.append(name, value)
  const status = answer.statusCode ?? 0
  return new Response([204, 304].includes(status) ? null : Buffer.concat(chunks), { status, headers: answered })
}
