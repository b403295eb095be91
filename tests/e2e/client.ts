// Sends requests exactly as written, without normalising paths, following redirects or decoding bytes.
import { request as plain } from 'node:http'
import { request as secure } from 'node:https'

export type Json = Record<string, unknown>

export type Answer = {
  request: string
  status: number
  headers: Record<string, string>
  bytes: Buffer
  text: string
  json: () => Json
}

export type Ask = (path: string, options?: { method?: string; headers?: Record<string, string> }) => Promise<Answer>

export function openClient(base: string): Ask {
  const { protocol, hostname, port } = new URL(base)
  const send = protocol === 'https:' ? secure : plain
  return (path, { method = 'GET', headers = {} } = {}) =>
    new Promise((resolve, reject) => {
      const sent = send({ hostname, port, path, method, headers, agent: false, timeout: 40_000 }, (received) => {
        const chunks: Buffer[] = []
        received.on('data', (chunk: Buffer) => chunks.push(chunk))
        received.on('error', reject)
        received.on('end', () => {
          const bytes = Buffer.concat(chunks)
          const text = bytes.toString('utf8')
          const request = `${method} ${path}`
          resolve({
            request,
            status: received.statusCode ?? 0,
            headers: Object.fromEntries(Object.entries(received.headers).map(([name, value]) => [name, String(value)])),
            bytes,
            text,
            json: () => {
              try {
                return JSON.parse(text)
              } catch {
                throw new Error(`${request} answered ${received.statusCode} with no JSON: ${text.slice(0, 200)}`)
              }
            },
          })
        })
      })
      sent.on('timeout', () => sent.destroy(new Error(`${method} ${path} was not answered within 40 s`)))
      sent.on('error', reject)
      sent.end()
    })
}

/** Calls `look` repeatedly until it returns something or the time limit is reached. @param pauseMs between two calls */
export async function poll<T>(
  what: string,
  milliseconds: number,
  look: () => Promise<T | undefined>,
  pauseMs = 50,
): Promise<T> {
  const end = Date.now() + milliseconds
  for (;;) {
    const seen = await look()
    if (seen !== undefined) return seen
    if (Date.now() > end) throw new Error(`${what}: not within ${milliseconds} ms`)
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}
