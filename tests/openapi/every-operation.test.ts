// Checks every operation against the API description with two thousand valid, nearly valid and hostile requests. The
// status, headers and schema of each response must match.
import { hash } from 'node:crypto'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { describeApi } from '../../src/catalogue/published/openapi.ts'
import { EXPORT_FORMATS } from '../../src/domain/api/export-formats.ts'
import { openApp } from '../hubs/app.ts'
import { BASE_URL } from '../hubs/make-hub.ts'
import { openMcpHub } from '../hubs/mcp.ts'
import { openHub } from '../hubs/publishing.ts'
import { openLocalWorld } from '../hubs/worlds.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { words } from '../words.ts'

interface Described {
  parameters: { name: string; in: string; schema: { enum?: string[] } }[]
  responses: Record<string, Answered>
}
interface Answered {
  $ref?: string
  headers?: Record<string, { $ref: string }>
  content?: Record<string, { schema: { type?: string } }>
}

const api = JSON.parse(JSON.stringify(describeApi(BASE_URL)))
const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: false }))
ajv.addSchema(api, 'api')
const pointer = (...parts: string[]) =>
  `api#/${parts.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`

/** The starter catalogue, and a skill with files and an attestation. */
const contentDir = temporaryFolder('hub-operations-')
cpSync('content', contentDir, { recursive: true })
const folder = join(contentDir, 'acme/with-files/versions/1.0.0')
mkdirSync(folder, { recursive: true })
const head = 'published_at: "2026-11-01T10:00:00Z"\npublished_by: octocat\nskill: {description: Does it.}'
const bundle = '{}'
const facts = {
  sha256: hash('sha256', bundle),
  size_bytes: bundle.length,
  predicate_type: 'a',
  issuer: 'b',
  repository: 'acme/a',
  workflow: 'c@d',
  identity: 'e',
  ref: 'f',
  sha: 'g',
  run_url: 'h',
}
writeFileSync(`${folder}.md`, `---\n${head}\nattestations: [${JSON.stringify(facts)}]\n---\nDo it.\n`)
const attested = join(contentDir, 'acme/with-files/attestations/1.0.0')
mkdirSync(attested, { recursive: true })
writeFileSync(join(attested, '1.sigstore.json'), bundle)
writeFileSync(join(folder, 'a.txt'), 'text')
writeFileSync(join(folder, 'b.bin'), Buffer.from([0, 255]))

const hub = openMcpHub(contentDir)
const world = openLocalWorld()
const publisher = await openHub(world)
afterAll(() => hub.close())

const known = [...hub.catalogue.entries.values()].map(({ repository }) => repository)
const hostile = fc.constantFrom(
  '',
  '%',
  '%00',
  '%2e%2e',
  '..',
  '__proto__',
  'constructor',
  'A',
  'é',
  "'--",
  'x'.repeat(300),
  '1.0',
  '01.2.3',
  '-1',
  '0',
  '1e9',
  '\u0000',
  '🦄',
  '*',
  'null',
)
const orHostile = <Value>(values: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 3, arbitrary: values }, { weight: 1, arbitrary: hostile })

/** Valid, nearly valid and hostile values for each parameter, by name. */
const VALUES: Readonly<Record<string, fc.Arbitrary<string>>> = {
  owner: orHostile(fc.constantFrom('acme', 'nobody', 'api')),
  name: orHostile(fc.constantFrom('code-review', 'nothing')),
  version: orHostile(fc.constantFrom('1.0.0', '9.9.9')),
  from: orHostile(fc.constantFrom('1.0.0', '9.9.9')),
  handle: orHostile(fc.constantFrom('acme', 'nobody')),
  page: orHostile(fc.constantFrom('1', '2', '100000', '100001')),
  sort: orHostile(fc.constantFrom('top', 'trending', 'new', 'old')),
  q: orHostile(fc.oneof(fc.constantFrom('review', 'reveiw', 'code review', 'NEAR( "a*', 'y'.repeat(201)), fc.string())),
  kind: orHostile(fc.constantFrom('text', 'chat', 'skill', 'skills')),
  tag: orHostile(fc.constantFrom('writing', 'engineering', 'no-such-tag')),
  format: orHostile(fc.constantFrom(...Object.keys(EXPORT_FORMATS), 'word')),
  attestation: orHostile(fc.constantFrom('1.sigstore.json', '2.sigstore.json', 'none')),
  path: orHostile(fc.constantFrom('a.txt', 'b.bin', 'none', 'a/b')),
  label: orHostile(fc.constantFrom('production', 'staging')),
  key: orHostile(fc.constantFrom('user-1', 'k'.repeat(1_001))),
  at: orHostile(
    fc.constantFrom('2026-11-20T10:00:00Z', '2020-01-01T00:00:00+01:00', '9999-12-31T23:59:59Z', '2026-13-01'),
  ),
  'If-None-Match': fc.constantFrom('*', '"x"', 'W/"x"', 'nonsense'),
}

/** @throws Error that says what to add for a parameter without values */
function valuesOf(name: string): fc.Arbitrary<string> {
  const values = VALUES[name]
  if (values) return values
  throw new Error(`The parameter ${name} has no values. Add some to VALUES in tests/openapi/every-operation.test.ts.`)
}

// Those that read proposals and webhooks have tests of their own.
const reads = Object.entries(api.paths as Record<string, { get?: Described & { security?: unknown } }>).flatMap(
  ([path, { get }]) => (get && !get.security && !path.includes('/proposals') ? [{ path, get }] : []),
)

/** A request for a read operation: its path, the prompt for its path parameters, and the values of all others. */
interface Read {
  path: string
  /** The full name of a prompt, which replaces the values of `owner`, `name` and `version`. */
  from: string | undefined
  method: string
  values: Record<string, string | undefined>
}

const aRead = fc.constantFrom(...reads).chain(
  ({ path, get }): fc.Arbitrary<Read> =>
    fc.record({
      path: fc.constant(path),
      // Half of all requests are for existing prompts and versions.
      from: fc.option(fc.constantFrom(...known.map(({ full_name }) => full_name)), { nil: undefined, freq: 1 }),
      method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD'),
      values: fc.record(
        Object.fromEntries(
          get.parameters.map(({ name }) => [name, fc.option(valuesOf(name), { nil: undefined, freq: 2 })]),
        ),
      ),
    }),
)

const anyName = fc.constantFrom('a', 'b_1', '__proto__', '1a', '')
const aBody = fc.oneof(
  fc.record({ content: fc.string({ minLength: 1 }).map((text) => `x${text}`) }),
  fc.record(
    {
      content: fc.oneof(fc.constant('Hello {{a}}'), fc.string(), fc.constant(7)),
      changelog: fc.oneof(fc.string(), fc.constant(null)),
      bump: fc.constantFrom('major', 'minor', 'patch', 'huge'),
      variables: fc.array(
        fc.record(
          {
            name: anyName,
            type: fc.constantFrom('string', 'enum', 'integer', 'date'),
            options: fc.array(fc.string(), { maxLength: 2 }),
            default: fc.jsonValue({ maxDepth: 0 }),
          },
          { requiredKeys: ['name'] },
        ),
        { maxLength: 3 },
      ),
      parameters: fc.jsonValue({ maxDepth: 4 }),
      title: fc.string({ unit: 'binary' }),
      tags: fc.array(fc.constantFrom('writing', 'Bad', ''), { maxLength: 3 }),
      license: fc.constantFrom('MIT', 'none of yours', ''),
      expected_version: fc.constantFrom(null, '1.0.0', 'x'),
      unknown: fc.anything(),
    },
    { requiredKeys: [] },
  ),
  fc.jsonValue(),
)

/** Compares a response with its description. */
function hold(
  operation: Described,
  place: string[],
  response: { status: number; headers: Headers; text: string; method: string },
) {
  const { status, headers, text, method } = response
  const said = `${place.join(' ')} ${status} ${text.slice(0, 300)}`
  expect(status, said).not.toBe(500)
  expect(headers.get('Access-Control-Allow-Origin'), said).toBe('*')
  expect(headers.get('X-Content-Type-Options'), said).toBe('nosniff')
  // Whichever operation was intended, a URL that matches no route must return 404.
  const described =
    operation.responses[status] ?? (status === 404 ? { $ref: '#/components/responses/not_found' } : undefined)
  expect(described, said).toBeDefined()
  const name = described!.$ref?.split('/').at(-1)
  const answered: Answered = name === undefined ? described! : api.components.responses[name]
  if (status === 200 && operation.responses['304']) expect(headers.get('ETag'), said).toMatch(/^"[\w-]+"$/)
  if (status === 401) expect(headers.get('WWW-Authenticate'), said).toBe('Bearer')
  for (const header of words`
    Location Retry-After X-Prompt-Version X-Prompt-Deprecated X-Prompt-Yanked Repr-Digest Unencoded-Digest Export-Lost
    Content-Disposition Idempotency-Replayed
  `)
    if (headers.has(header)) expect(Object.keys(answered.headers ?? {}), said).toContain(header)
  if (status === 308) expect(headers.get('Location'), said).toMatch(/^\/api\/v1\//)
  if (method === 'HEAD' || status === 304 || status === 308) return expect(text, said).toBe('')
  const type = headers.get('Content-Type')!.split(';')[0]!
  expect(Object.keys(answered.content!), said).toContain(type)
  if (type !== 'application/json') return
  const at = name === undefined ? [...place, 'responses', String(status)] : ['components', 'responses', name]
  const check = ajv.getSchema(pointer(...at, 'content', type, 'schema'))!
  expect(check(JSON.parse(text)), `${said}: ${ajv.errorsText(check.errors)}`).toBe(true)
}

test('read operations match the OpenAPI description', async () => {
  const seen = new Set<string>()
  const ask = async ({ path, from, method, values }: Read) => {
    const all = { ...values }
    if (from !== undefined) {
      const { owner, name, versions } = known.find(({ full_name }) => full_name === from)!
      Object.assign(all, { owner, handle: owner, name, version: versions[0] })
      if (/\{path\}|archive|\{attestation\}/.test(path))
        Object.assign(all, { owner: 'acme', name: 'with-files', version: '1.0.0' })
    }
    const { get } = reads.find((read) => read.path === path)!
    const url = new URL(`${BASE_URL}${path.replace(/\{(\w+)\}/g, (_, name: string) => all[name] ?? 'missing')}`)
    for (const { name, in: where } of get.parameters)
      if (where === 'query' && all[name] !== undefined) url.searchParams.set(name, all[name])
    const headers = all['If-None-Match'] === undefined ? undefined : { 'If-None-Match': all['If-None-Match'] }
    const request = new Request(url, { method, ...(headers && { headers }) })
    const response = await openApp(() => hub.hub)(request)
    seen.add(`${path} ${response.status}`)
    // A path parameter can turn the URL into the URL of another operation, which is checked separately.
    const isItself = new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+').replaceAll('.', '\\.')}/?$`).test(url.pathname)
    if (isItself)
      hold(get, ['paths', path, 'get'], {
        status: response.status,
        headers: response.headers,
        text: await response.text(),
        method,
      })
  }
  await fc.assert(fc.asyncProperty(aRead, ask), { numRuns: 80 })
  // Whatever the random requests left out.
  for (const { path, get } of reads) {
    const inPath = { format: 'dotprompt', path: 'a.txt', label: 'production', attestation: '1.sigstore.json' }
    const usual = Object.fromEntries(Object.entries(inPath).filter(([name]) => path.includes(`{${name}}`)))
    const request = { path, from: 'acme/code-review', method: 'GET' }
    const asked: Record<string, Record<string, string>> = {
      200: usual,
      304: { ...usual, 'If-None-Match': '*' },
      ...('400' in get.responses && { 400: { ...usual, page: '0', sort: 'old', at: 'x', from: 'x' } }),
    }
    for (const [status, values] of Object.entries(asked)) {
      if (!seen.has(`${path} ${status}`)) await ask({ ...request, values })
      expect([...seen]).toContain(`${path} ${status}`)
    }
  }
})

test('publish responses match the OpenAPI description', async () => {
  const path = '/api/v1/repos/{owner}/{name}/versions'
  const operation = api.paths[path].post as Described
  const seen = new Set<number>()
  await fc.assert(
    fc.asyncProperty(
      aBody,
      fc.constantFrom('acme/any', 'acme/any', 'acme/any', 'other/any', 'api/any', 'acme/-'),
      fc.constantFrom(undefined, undefined, undefined, null, 'hub_wrong'),
      fc.constantFrom('application/json', 'application/json', 'application/json', 'text/plain'),
      fc.constantFrom(undefined, undefined, 'short', 'long-enough'),
      async (body, to, token, type, key) => {
        const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
        const sent = isObject ? { ...body, dry_run: true } : body
        const { status, headers, text } = await publisher.publish(JSON.stringify(sent) ?? 'nothing', {
          to,
          ...(token === undefined ? {} : { token }),
          ...(key === undefined ? {} : { key }),
          headers: { 'Content-Type': type },
        })
        seen.add(status)
        hold(operation, ['paths', path, 'post'], { status, headers, text, method: 'POST' })
      },
    ),
    { numRuns: 200 },
  )
  expect([...seen].sort()).toEqual(expect.arrayContaining([200, 400, 401, 403, 404, 415, 422]))
})

test('check responses match the OpenAPI description', async () => {
  const path = '/api/v1/repos/{owner}/{name}/check'
  const operation = api.paths[path].post as Described
  const seen = new Set<number>()
  expect((await publisher.publish({ content: 'One {{a}}' }, { to: 'acme/checked' })).status).toBe(201)
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        aBody,
        fc.string(),
        fc.string().map((text) => `---\ntitle: A\n---\n${text}`),
      ),
      fc.constantFrom('acme/checked', 'acme/checked', 'nobody/any', 'api/any', 'acme/-'),
      fc.constantFrom('application/json', 'text/markdown', 'text/markdown', 'text/plain'),
      async (body, to, type) => {
        const sent = typeof body === 'string' ? body : (JSON.stringify(body) ?? 'nothing')
        const { status, headers, text } = await publisher.check(sent, { to, headers: { 'Content-Type': type } })
        seen.add(status)
        hold(operation, ['paths', path, 'post'], { status, headers, text, method: 'POST' })
      },
    ),
    { numRuns: 200 },
  )
  expect([...seen]).toEqual(expect.arrayContaining([200, 400, 404, 415, 422]))
})

test('management responses match the OpenAPI description', async () => {
  expect((await publisher.publish({ content: 'One' }, { to: 'acme/managed' })).status).toBe(201)
  const token = await publisher.makeToken({ permissions: ['label', 'maintain'] })
  const calls = Object.entries(api.paths as Record<string, Record<string, Described>>).flatMap(([path, methods]) =>
    ['patch', 'put', 'delete'].flatMap((method) => (methods[method] ? [{ path, method }] : [])),
  )
  const change = { path: '/api/v1/repos/{owner}/{name}', method: 'patch' }
  const seen = new Set<number>()
  const aChange = fc.oneof(
    fc.record(
      {
        version: fc.constantFrom('1.0.0', '9.9.9', 'x'),
        split: fc.constantFrom({ version: '1.0.0', percent: 10 }, { version: '1.0.0', percent: 100 }, null),
      },
      { requiredKeys: ['version'] },
    ),
    fc.record({ reason: fc.string() }),
    fc.record({ title: fc.string(), license: fc.constantFrom('MIT', null, '') }, { requiredKeys: [] }),
    fc.jsonValue(),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...calls),
      aChange,
      fc.constantFrom('managed', 'managed', 'nothing'),
      VALUES.version!,
      VALUES.label!,
      fc.constantFrom(token, token, publisher.token),
      async ({ path, method }, body, name, version, label, given) => {
        const all: Record<string, string> = { owner: 'acme', name, version, label }
        const { pathname } = new URL(BASE_URL + path.replace(/\{(\w+)\}/g, (_, part: string) => all[part] || 'x'))
        const sent = { method: method.toUpperCase(), path: pathname, token: given }
        const { status, headers, text } = await publisher.publish(JSON.stringify(body), sent)
        seen.add(status)
        const isItself = new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`).test(pathname)
        if (isItself) hold(api.paths[path][method], ['paths', path, method], { status, headers, text, method })
      },
    ),
    {
      numRuns: 60,
      // One for each status below, which chance alone does not always meet.
      examples: [
        [change, { title: 'New' }, 'managed', '1.0.0', 'stable', token],
        [change, { title: 'New' }, 'managed', '1.0.0', 'stable', publisher.token],
        [change, { title: 'New' }, 'nothing', '1.0.0', 'stable', token],
        [change, { title: 1 }, 'managed', '1.0.0', 'stable', token],
      ],
    },
  )
  expect([...seen]).toEqual(expect.arrayContaining([200, 403, 404, 422]))
})

test('proposal responses match the OpenAPI description', async () => {
  const base = '/api/v1/repos/{owner}/{name}/proposals'
  const ask = async (
    method: string,
    rest: string,
    proposal: string,
    body?: string,
    token: string | null = publisher.token,
  ) => {
    const path = base + rest
    const pathname = path.replace('{owner}/{name}', 'acme/proposed').replace('{proposal}', proposal)
    const headers: Record<string, string> = token === null ? {} : { Authorization: `Bearer ${token}` }
    const answer =
      method === 'get'
        ? await publisher.read(pathname, headers)
        : await publisher.publish(body, { path: pathname, token })
    const { status, headers: given, text, data } = answer
    hold(api.paths[path][method], ['paths', path, method], { status, headers: given, text, method })
    return { status, id: String(data.id) }
  }
  const ids = []
  for (const content of ['One {{a}}', 'Two {{a}}'])
    ids.push((await ask('post', '', '', JSON.stringify({ content }))).id)
  const [first = '', second = ''] = ids
  const seen = []
  for (const [method, rest, id, token] of [
    ['get', '', '', publisher.token],
    ['get', '', '', null],
    ['get', '/{proposal}', first, null],
    ['get', '/{proposal}/raw', first, null],
    ['get', '/{proposal}/raw', 'none', null],
    ['post', '/{proposal}/accept', first, null],
    ['post', '/{proposal}/accept', first, publisher.token],
    ['post', '/{proposal}/accept', first, publisher.token],
    ['post', '/{proposal}/reject', first, publisher.token],
    ['post', '/{proposal}/reject', second, publisher.token],
    ['post', '/{proposal}/accept', second, publisher.token],
    ['get', '/{proposal}', first, null],
    ['get', '/{proposal}', second, null],
  ] as const)
    seen.push((await ask(method, rest, id, undefined, token)).status)
  expect(seen).toEqual([200, 401, 200, 200, 404, 401, 201, 200, 409, 200, 409, 200, 200])
  expect((await ask('post', '', '', '{"content":7}')).status).toBe(422)
})
