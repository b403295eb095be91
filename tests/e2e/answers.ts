// Checks what every response under /api and /data must have: the right headers, caching and error format, and a body
// that matches the schema in the hub's openapi.json.
import { resolve } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { expect } from 'vitest'
import type { Answer, Json } from './client.ts'

export const SHORT = 'public, max-age=60, stale-while-revalidate=600'
export const FOREVER = 'public, max-age=31536000, immutable'
export const EXPOSED =
  'Content-Disposition, ETag, Export-Lost, Idempotency-Replayed, Link, Location, Repr-Digest, Retry-After, Unencoded-Digest, X-Prompt-Deprecated, X-Prompt-Version, X-Prompt-Yanked'

const CODES: Record<number, string> = {
  400: 'invalid_request',
  404: 'not_found',
  405: 'method_not_allowed',
  429: 'rate_limited',
}
const CACHING: Record<number, string> = {
  400: 'no-store',
  404: 'public, max-age=30',
  405: 'no-store',
  429: 'no-store',
}

const VERSION = /^\/api\/v1\/repos\/[^/]+\/[^/]+\/versions\/[^/]+$/
const RAW_VERSION = /^\/api\/v1\/repos\/[^/]+\/[^/]+\/raw\/?\?(?:.*&)?version=[0-9]/

const list = (text: string | undefined) => (text ?? '').split(',').map((word) => word.trim().toLowerCase())

/** Who may read a response: everybody, or only the pages of a hub on this machine. tests/host/private-hub.test.ts */
export const READERS = /^(?:\*|http:\/\/localhost(?::\d+)?)$/

export function expectError(answer: Answer, status: number): string {
  expect(answer.status, answer.request).toBe(status)
  const { error } = answer.json() as { error: { code: string; message: string } }
  expect(answer.json(), answer.request).toEqual({ error: { code: CODES[status], message: expect.any(String) } })
  expect(error.message.length, answer.request).toBeGreaterThan(10)
  expect(error.message, answer.request).not.toMatch(/node_modules|\n\s+at |file:\/\//)
  expect(error.message, answer.request).not.toContain(resolve('.'))
  return error.message
}

/** Checks an API response and returns it, so that each test needs to check only what is specific to it. */
export function expectPromises(answer: Answer, describedBy: Described | undefined): Answer {
  const { status, headers, request } = answer
  const [method = '', address = ''] = request.split(' ')
  expect(status, `${request}\n${answer.text.slice(0, 300)}`).toBeLessThan(500)
  expect(headers['access-control-allow-origin'], `CORS of ${request}`).toMatch(READERS)
  expect(list(headers['access-control-expose-headers']), `exposed by ${request}`).toEqual(
    expect.arrayContaining(list(EXPOSED)),
  )
  expect(headers['x-content-type-options'], `nosniff of ${request}`).toBe('nosniff')
  expect(headers['content-type'] ?? '', request).not.toContain('html')
  if (status === 200) {
    const path = address.replace(/\/?(?:\?.*)?$/, '')
    const isKeptRaw = RAW_VERSION.test(address) && headers['x-prompt-yanked'] === undefined
    const kept = VERSION.test(path) || isKeptRaw ? FOREVER : SHORT
    expect(headers['cache-control'], `Cache-Control of ${request}`).toBe(kept)
    expect(headers.etag, `ETag of ${request}`).toMatch(/^(?:W\/)?"[\x21\x23-\x7e]+"$/)
    expect(headers['content-type'], request).toMatch(
      path.endsWith('/raw') ? /^text\/plain; ?charset=utf-8$/i : /^application\/json/,
    )
  }
  if (CODES[status]) {
    expect(headers['cache-control'], `Cache-Control of ${request}`).toBe(CACHING[status])
    expect(headers['content-type'], request).toMatch(/^application\/json/)
    if (method !== 'HEAD') expectError(answer, status)
  }
  if (method === 'HEAD' || status === 304 || status === 204) expect(answer.bytes.length, `body of ${request}`).toBe(0)
  else if (describedBy) describedBy(answer)
  return answer
}

export type Described = (answer: Answer) => void

/** Compares responses with the schema for their path and status in the hub's openapi.json. */
export function openSchemas(openapi: Json): Described {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true })
  formats.default(ajv)
  ajv.addSchema(openapi, 'hub')
  const paths = openapi.paths as Record<string, Record<string, { responses: Record<string, Json> }>>
  const routes = Object.keys(paths).map((template) => ({
    template,
    pattern: new RegExp(`^${template.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
    fixed: template.split('/').filter((part) => part && !part.startsWith('{')).length,
  }))
  routes.sort((a, b) => b.fixed - a.fixed)
  const pointerKey = (key: string) =>
    key.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D')

  return (answer) => {
    const [method = '', address = ''] = answer.request.split(' ')
    const path = address.replace(/\/?(?:\?.*)?$/, '')
    const template = routes.find(({ pattern }) => pattern.test(path))?.template
    const operation = template ? paths[template]?.[method.toLowerCase()] : undefined
    let pointer = '/components/schemas/Error'
    if (template && operation) {
      // A URL with uppercase letters is redirected before it is matched to a route.
      if (answer.status === 308) return
      let described = operation.responses[String(answer.status)]
      expect(described, `${template} describes no ${answer.status}, but ${answer.request} gave it`).toBeDefined()
      pointer = `/paths/${pointerKey(template)}/${method.toLowerCase()}/responses/${answer.status}`
      if (typeof described?.$ref === 'string') {
        pointer = described.$ref.slice(1)
        const name = pointer.split('/').at(-1) ?? ''
        described = (openapi.components as { responses: Record<string, Json> }).responses[name]
      }
      const media = (answer.headers['content-type'] ?? '').split(';')[0] ?? ''
      const kinds = Object.keys((described?.content ?? {}) as Json)
      expect(kinds, `media type of ${answer.request}`).toContain(media)
      pointer += `/content/${pointerKey(media)}/schema`
    } else if (answer.status < 400) return
    const check = ajv.getSchema(`hub#${pointer}`)
    if (!check) throw new Error(`openapi.json has no ${pointer}`)
    const body = (answer.headers['content-type'] ?? '').startsWith('text/') ? answer.text : answer.json()
    expect(check(body) ? [] : check.errors, `${answer.request} against ${pointer}`).toEqual([])
  }
}
