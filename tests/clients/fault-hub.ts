// A small hub whose responses a test can replace, delay, cut off or count.

import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { pointing } from '../fixtures/labels.ts'
import { listen, stop } from '../listen.ts'

/** Replaces a response. If it returns undefined, the hub responds as usual. */
export type Fault = (request: IncomingMessage, response: ServerResponse) => boolean

export interface FaultHub {
  url: string
  /** Every URL that was requested, in order. */
  asked: string[]
  /** The requested URLs for which the hub returned 304. */
  unchanged: string[]
  /** Responses that replace the usual responses, keyed by URL. Tests add and remove them. */
  faults: Map<string, Fault>
  /** Replaces the response for every URL. */
  outage: Fault | undefined
  /** Returns the usual response. */
  answer: Fault
  stop(): Promise<void>
}

export const CONTENTS: Record<string, string> = {
  '1.0.0': 'Hello {{name}}',
  '1.1.0': 'Hello {{name}}, {{ greeting }}',
  '2.0.0': 'Good day {{name}}{{name}}\r\n',
}
export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const variable = { description: '', type: 'string', default: null, options: [], example: null }
const variables = [
  { ...variable, name: 'name', required: true },
  { ...variable, name: 'greeting', required: false },
]
const versionRecord = (version: string) => ({
  full_name: 'acme/hello',
  version,
  content: CONTENTS[version],
  content_sha256: sha256(CONTENTS[version]!),
  variables: version === '1.1.0' ? variables : variables.slice(0, 1),
  parameters: { temperature: 0.2 },
})
const row = (version: string, yanked = false) => ({
  version,
  yanked,
  yank_reason: yanked ? 'wrong' : null,
  content_sha256: sha256(CONTENTS[version]!),
})
const FILES: Record<string, unknown> = {
  '/data/v1/repos/acme/hello.json': {
    full_name: 'acme/hello',
    status: 'deprecated',
    status_message: 'Use acme/hi.',
    latest_version: '1.1.0',
    labels: pointing({ production: '1.0.0' }),
    versions: ['1.1.0', '1.0.0'],
    content: CONTENTS['1.1.0'],
    content_sha256: sha256(CONTENTS['1.1.0']!),
    variables,
    parameters: { temperature: 0.2 },
    advisories: [{ range: '<1.1', severity: 'low', message: 'Leaves out the greeting.', versions: ['1.0.0'] }],
  },
  '/data/v1/repos/acme/hello/versions.json': [row('2.0.0', true), row('1.1.0'), row('1.0.0')],
  ...Object.fromEntries(
    Object.keys(CONTENTS).map((version) => [
      `/data/v1/repos/acme/hello/versions/${version}.json`,
      versionRecord(version),
    ]),
  ),
}

/** Responds with only a status, without a hub's headers or content. */
export const status =
  (code: number, headers: Record<string, string> = {}): Fault =>
  (_request, response) => {
    response.writeHead(code, headers).end('<html>')
    return true
  }

/** Closes the connection without a response. */
export const noConnection: Fault = (request) => {
  request.socket.destroy()
  return true
}

/** Never responds. */
export const silence: Fault = () => true

/** Sends the response headers one character at a time, indefinitely. */
export const drip: Fault = (request) => {
  request.socket.write('HTTP/1.1 200 OK\r\nX-Slow: ')
  const timer = setInterval(() => request.socket.write('a'), 50)
  request.socket.on('close', () => clearInterval(timer)).on('error', () => {})
  return true
}

/** Redirects a client to another URL. */
export const redirect =
  (location: string): Fault =>
  (_request, response) => {
    response.writeHead(302, { Location: location }).end()
    return true
  }

/** Closes the connection halfway through the response. */
export const cut: Fault = (_request, response) => {
  response.writeHead(200, { 'Content-Length': '10000' })
  response.write('{"data":')
  setImmediate(() => response.destroy())
  return true
}

/** Responds with content that does not match its digest. */
export const otherBytes: Fault = (request, response) => {
  const { data } = { data: FILES[request.url ?? ''] ?? {} }
  response.end(JSON.stringify({ data: { ...data, content: 'evil' } }))
  return true
}

/** Starts the hub on a free port. */
export async function openFaultHub(): Promise<FaultHub> {
  const hub: FaultHub = {
    url: '',
    asked: [],
    unchanged: [],
    faults: new Map(),
    outage: undefined,
    answer: () => false,
    stop: async () => {},
  }
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    hub.asked.push(path)
    if (hub.outage?.(request, response) || hub.faults.get(path)?.(request, response)) return
    hub.answer(request, response)
  })
  hub.answer = (request, response) => {
    const path = request.url ?? ''
    const data = FILES[path]
    if (!data) {
      const error = { code: 'not_found', message: `There is nothing at ${path}.` }
      response.writeHead(404, { 'Content-Type': 'application/json' }).end(JSON.stringify({ error }))
      return true
    }
    const text = JSON.stringify({ data })
    const etag = `"${sha256(text).slice(0, 12)}"`
    if (request.headers['if-none-match'] === etag) {
      hub.unchanged.push(path)
      response.writeHead(304).end()
    } else response.writeHead(200, { 'Content-Type': 'application/json', ETag: etag }).end(text)
    return true
  }
  hub.url = await listen(server)
  hub.stop = () => stop(server)
  return hub
}
