// Sends the names of Object.prototype as every key and name that a caller can choose, to one hub over HTTP. Each is
// stored as it is, or refused with a message: no answer may come from a look-up in a plain object.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createToken } from '../../src/state/tokens.ts'
import { fieldOf } from './account.ts'
import { type BuiltHub, startBuiltHub } from './built-hub.ts'
import { freePort } from './processes.ts'

/** Only `constructor` has the form of an owner, a name, a tag, a label and a suite. */
const NAMES = ['__proto__', 'constructor', 'toString'] as const
const WORDS = new Set<string>(['constructor'])

const HEAD = 'published_at: "2026-11-20T10:00:00Z"\npublished_by: acme\n'
const TEXT = `${NAMES.map((name) => `{{${name}}}`).join(' ')}\n`
const file = (head: string, text: string) => `---\n${HEAD}${head}---\n${text}`
const CONTENT = {
  'content/acme/index.md': '---\nmembers: [alice]\n---\n',
  'content/acme/greet/index.md': '---\ntags: [constructor]\nlabels: { constructor: 1.0.0 }\n---\n',
  'content/acme/greet/versions/1.0.0.md': file(
    `variables: [${NAMES.map((name) => `{ name: ${name}, description: Of ${name} }`)}]\nparameters: { constructor: 1, toString: { valueOf: [2] } }\n`,
    TEXT,
  ),
  'content/acme/helper/versions/1.0.0.md': file(
    'skill: { description: Helps., metadata: { constructor: a, valueOf: b } }\n',
    'Run a.sh\n',
  ),
  'content/acme/helper/versions/1.0.0/a.sh': 'echo\n',
  'content/constructor/constructor/versions/1.0.0.md': file('', 'Of an owner named constructor\n'),
}
const GREET = '/api/v1/repos/acme/greet'
const HELPER = '/api/v1/repos/acme/helper'
const AT = `${GREET}/versions/1.0.0`

let hub: BuiltHub
let token: string
let cookie: string
beforeAll(async () => {
  hub = await startBuiltHub(await freePort(), {}, CONTENT)
  const holder = { kind: 'operator' } as const
  const permissions = ['publish', 'label', 'maintain'] as const
  const made = { holder, name: 'test', scope: 'acme/*', permissions, days: 1 }
  token = (await createToken(hub.state, made, new Date())).token
  cookie = await signIn()
})
afterAll(() => hub?.stop())

const cookiesOf = ({ headers }: Response) => headers.getSetCookie().map((one) => one.split(';')[0]!)

async function signIn(): Promise<string> {
  const page = await fetch(hub.signInLink())
  const text = await page.text()
  const [state, key] = [fieldOf(text, '/auth/local', 'state'), fieldOf(text, '/auth/local', 'key')]
  const answer = await fetch(`${hub.url}/auth/local`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: hub.url, cookie: cookiesOf(page).join('; ') },
    body: new URLSearchParams({ state, key, handle: 'alice' }),
  })
  return [...cookiesOf(page), ...cookiesOf(answer)].join('; ')
}

/** An answer as `status text`; the text of JSON is not escaped. */
type Ask = (method: string, address: string, body: string, type: string) => Promise<string>

const ask: Ask = async (method, address, body, type) => {
  const answer = await fetch(hub.url + address, {
    method,
    headers: { Authorization: `Bearer ${token}`, ...(method !== 'GET' && { 'Content-Type': type }) },
    ...(method !== 'GET' && { body }),
  })
  return `${answer.status} ${await answer.text()}`
}

async function mcp(method: string, params: string): Promise<string> {
  const answer = await fetch(`${hub.url}/mcp`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    body: `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`,
  })
  return `${answer.status} ${(await answer.text()).replaceAll('\\"', '"').replaceAll('\\n', ' ')}`
}

/** Opens a page as a signed-in member, and sends its form with these fields. @returns the status, the page that it leads to, and the page's HTML */
async function submit(address: string, given: Readonly<Record<string, string>>): Promise<string> {
  const shown = await (await fetch(hub.url + address, { headers: { cookie } })).text()
  const hidden = ['csrf', 'commit', 'form'].flatMap((name) => {
    const value = hiddenOf(shown, name)
    return value === undefined ? [] : [[name, value]]
  })
  const answer = await fetch(hub.url + address, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: hub.url, cookie },
    body: new URLSearchParams([...hidden, ...Object.entries(given)]),
  })
  return `${answer.status} ${answer.headers.get('location') ?? ''} ${await answer.text()}`
}

const hiddenOf = (page: string, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1]

/** What a name is refused with, and what `constructor` gets, which has the form of a name, a tag and a label. */
type Row = readonly [sent: string, says: string, saysOfWord?: string]

/** Sends each row with each name in place of `$`. @returns the answers that do not say what they must */
async function findWrong(rows: readonly Row[], send: (sent: string) => Promise<string>): Promise<string[]> {
  const wrong: string[] = []
  for (const name of NAMES)
    for (const [sent, says, saysOfWord = says] of rows) {
      const answer = await send(sent.replaceAll('$', name))
      const said = (WORDS.has(name) ? saysOfWord : says).replaceAll('$', name)
      const isAsSaid = said
        .split(' … ')
        .every((part, index) => (index ? answer.includes(part) : answer.startsWith(part)))
      if (!isAsSaid || /^5|-32603/.test(answer)) wrong.push(`${sent} (${name}): expected ${said}, got ${answer}`)
    }
  return wrong.map((line) => line.slice(0, 600))
}

const READS: Row[] = [
  ['/api/v1/repos/$/greet', '404 {"error":{"code":"not_found"'],
  ['/api/v1/repos/acme/$', '404 {"error":{"code":"not_found"'],
  ['/api/v1/repos/$/$/raw', '404 {"error":{"code":"not_found"', '200 Of an owner named constructor'],
  ['/api/v1/$', '404 {"error":{"code":"not_found"'],
  [`${GREET}/$`, '404 {"error":{"code":"not_found"'],
  [`${GREET}/versions/$`, '404 {"error":{"code":"not_found"'],
  [`${AT}/export/$`, '404  … There is no format $. The formats are'],
  [`${AT}/attestations/$`, '404 {"error":{"code":"not_found"'],
  [`${HELPER}/versions/1.0.0/files/$`, '404  … acme/helper@1.0.0 has no file $.'],
  ['/api/v1/users/$', '404 {"error":{"code":"not_found"', '200  … "handle":"constructor"'],
  ['/api/v1/users/$/labels/$', '404 {"error":{"code":"not_found"', '200 {"data":[]'],
  ['/api/v1/repos?q=$', '200  … "full_name":"acme/greet"'],
  ['/api/v1/repos?tag=$', '200 {"data":[],', '200  … "full_name":"acme/greet"'],
  ['/api/v1/repos?sort=$', '400  … sort: expected one of top, trending, new, got \\"$\\"'],
  ['/api/v1/repos?page=$', '400  … page: expected a whole number'],
  ['/api/v1/repos?$=1', '200  … "total":3'],
  [`${GREET}/raw?label=$`, '404  … acme/greet has no label $. Its labels: constructor.', `200 ${TEXT}`],
  [`${GREET}/raw?version=$`, '400  … version: expected the form x.y.z'],
  [`${GREET}/raw?label=constructor&at=$`, '400  … at: expected a time'],
  [`${GREET}/raw?$=1`, `200 ${TEXT}`],
  ['/data/v1/$', '404 {"error":{"code":"not_found"'],
  ['/data/v1/tags/$/top/1.json', '404 {"error":{"code":"not_found"', '200  … "full_name":"acme/greet"'],
  ['/api/apm/v1/packages/acme/$/versions', '404  … There is no Agent Skill at'],
  ['/$/.claude-plugin/marketplace.json', '404 {"error":{"code":"not_found"'],
  ['/npm/@acme%2f$', '404  … There is no package'],
  ['/npm/@$/greet', '404  … There is no package'],
  ['/npm/@acme/greet/-/$', '404  … There is no package'],
  ['/$', '404  … Page not found', '200  … constructor/constructor'],
  ['/acme/$', '404  … Page not found'],
  ['/acme/greet/v/$', '404  … Page not found'],
  ['/acme/greet/compare/$...1.0.0', '404  … Page not found'],
  ['/tags/$', '404  … Page not found', '200  … acme/greet'],
  ['/docs/$', '404  … Page not found'],
  ['/search?q=$', '200  … acme/greet'],
  ['/search?q=acme&sort=$', '200  … acme/greet'],
  ['/acme/greet?$=x', '200  … acme/greet'],
  ['/acme/helper/v/1.0.0/$', '404  … There is no file $ of that Agent Skill'],
  ['/settings/$', '404 '],
  ['/auth/$', '404 '],
]

test('addresses and query parameters', async () => {
  expect(await findWrong(READS, (address) => ask('GET', address, '', ''))).toEqual([])
  expect(await ask('GET', '/api/v1/users/acme/labels/constructor', '', '')).toContain('"full_name":"acme/greet"')
})

const UNKNOWN = '422  … $: unknown; check the spelling, or leave it out'
const NO_TAG = '422  … expected lower-case letters, digits and single hyphens'
/** A row is a method, an address below the prompt, and a body. No write changes what the next is about. */
const WRITES: Row[] = [
  ['POST /check {"content":"x","$":1}', UNKNOWN],
  ['POST /versions {"content":"x","$":1}', UNKNOWN],
  ['POST /check?$=1 {"content":"x"}', '422  … $: expected no query parameters with JSON'],
  ['POST /check {"content":"{{$}}","variables":[{"name":"$","$":"d"}]}', '422  … variables.0.$: unknown'],
  ['POST /check {"content":"{{$}}","variables":[{"name":"$","type":"$"}]}', '422  … variables.0.type: expected'],
  ['POST /check {"content":"{{$}}","variables":{"$":{}}}', '422  … variables: expected a list, got an object'],
  ['POST /check {"content":"x","skill":{"description":"d","$":"c"}}', '422  … skill.$: unknown'],
  ['POST /check {"content":"x","tags":["$"]}', NO_TAG, '200'],
  ['POST /check {"content":"x","tags":{"$":1}}', '422  … tags: expected a list, got an object'],
  ['POST /check {"content":"x","bump":"$"}', '422  … bump: expected'],
  ['POST /check {"content":"x","format":"$"}', '422  … format: expected'],
  ['POST /check {"content":"x","license":"$"}', '422  … license: expected an SPDX license'],
  ['POST /check {"content":"x","forked_from":"$"}', '422  … forked_from: expected'],
  ['POST /check {"content":"x","expected_version":"$"}', '422  … expected_version: expected'],
  [
    'POST /check {"content":"x","skill":{"description":"d"},"files":[{"path":"a","$":"x"}]}',
    '422  … files.0: expected',
  ],
  ['PATCH  {"$":"x"}', UNKNOWN],
  ['PATCH  {"status":"$"}', '422  … status: expected'],
  ['PATCH  {"tags":["$"]}', NO_TAG, '200'],
  ['PATCH  {"license":"$"}', '422  … license: expected'],
  ['PATCH  {"moved_to":"acme/$"}', '422  … moved_to: expected'],
  ['PATCH  {"status":"deprecated","replaced_by":"acme/$"}', '422  … replaced_by: expected'],
  [
    'PUT /labels/$ {"version":"1.0.0"}',
    '404  … No label can have this name',
    '200  … "constructor":{"version":"1.0.0"',
  ],
  ['PUT /labels/a {"version":"$"}', '422  … version: expected a version in the form x.y.z'],
  ['PUT /labels/a {"version":"1.0.0","$":1}', UNKNOWN],
  ['DELETE /labels/$ {"$":1}', '404  … No label can have this name', UNKNOWN],
  ['PUT /versions/1.0.0/yank {"reason":"r","$":1}', UNKNOWN],
  ['PUT /versions/$/yank {"reason":"r"}', '404  … No version can have this number'],
  ['DELETE /versions/1.0.0/yank {"$":1}', UNKNOWN],
  ['PUT /versions/1.0.0/results/$ {"passed":1,"failed":0}', '404  … No test suite can', '200  … "suite":"constructor"'],
  ['PUT /versions/1.0.0/results/a {"passed":1,"failed":0,"$":1}', UNKNOWN],
  ['PUT /versions/1.0.0/results/a {"passed":1,"failed":0,"model":"$"}', '200  … "model":"$"'],
  ['DELETE /versions/1.0.0/results/$ {}', '404  … No test suite can', '200  … "suite":"constructor"'],
]

test('bodies of writes', async () => {
  const wrong = await findWrong(WRITES, (row) => {
    const [, method = '', address = '', body = ''] = /^(\S+) (\S*) (.*)$/.exec(row)!
    return ask(method, GREET + address, body, 'application/json')
  })
  expect(wrong).toEqual([])
})

test('fields of an owner', async () => {
  const rows: Row[] = [
    ['{"$":1}', UNKNOWN],
    ['{"members":["$"]}', '422  … members.0: expected', '403  … No token may change members'],
    [
      '{"protected_labels":["$"]}',
      '422  … protected_labels.0: expected',
      '403  … No token may change protected_labels',
    ],
    ['{"protected_labels":[{"label":"a","requires":["b"],"$":1}]}', '422  … protected_labels.0.$: unknown'],
    [
      '{"protected_labels":[{"label":"a","$":1}]}',
      '422  … protected_labels.0.$: unknown; check … expected requires or new_capabilities',
    ],
  ]
  const path = '/api/v1/users/acme'
  expect(await findWrong(rows, (body) => ask('PATCH', path, body, 'application/json'))).toEqual([])
})

test('front matter and query parameters of prompt files', async () => {
  const rows: Row[] = [
    ['?$=1 \nx', '422  … $: unknown query parameter'],
    ['?bump=$ \nx', '422  … bump: expected'],
    [' $: 1\nx', '422  … $: line 2: unknown'],
    [' variables: [{ name: $, description: d }]\nx {{$}}', '200'],
    [' tags: [$]\nx', '422  … tags.0: line 2: expected lower-case', '200'],
    [' skill: { description: d, other: { $: 1 } }\nx', '422  … skill'],
  ]
  const wrong = await findWrong(rows, (row) => {
    const [, query = '', head = '', text = ''] = /^(\S*) (.*)\n(.*)$/.exec(row)!
    return ask('POST', `${GREET}/check${query}`, head ? `---\n${head}\n---\n${text}` : text, 'text/markdown')
  })
  expect(wrong).toEqual([])
})

const STORED = NAMES.filter((name) => name !== '__proto__')
const parametersOf = (name: string) =>
  JSON.stringify({ a: [{ NAME: null }], NAME: { NAME: ['NAME'] } }).replaceAll('NAME', name)

test('keys of parameters and metadata are stored as they are', async () => {
  for (const name of STORED) {
    const parameters = parametersOf(name)
    const metadata = `{"${name}":"${name}"}`
    const files = {
      json: `{"content":"x","parameters":${parameters},"skill":{"description":"d","metadata":${metadata}}}`,
      markdown: `---\nparameters: ${parameters}\nskill: { description: d, metadata: ${metadata} }\n---\nx`,
    }
    for (const [kind, body] of Object.entries(files)) {
      const path = `${`/api/v1/repos/acme/${kind}-of-${name}`.toLowerCase()}/versions`
      expect(await ask('POST', path, body, kind === 'json' ? 'application/json' : 'text/markdown')).toMatch(/^201 /)
      const read = await ask('GET', `${path}/1.0.0`, '', '')
      expect(read).toContain(`"parameters":${parameters}`)
      expect(read).toContain(`"metadata":${metadata}`)
    }
  }
  // The same in version files that were written in git.
  const greet = await ask('GET', AT, '', '')
  expect(greet).toContain('"parameters":{"constructor":1,"toString":{"valueOf":[2]}}')
  expect(await ask('GET', `${HELPER}/versions/1.0.0`, '', '')).toContain('"metadata":{"constructor":"a","valueOf":"b"}')
})

test('a key __proto__ of parameters or metadata is refused', async () => {
  const refused = {
    '{"content":"x","parameters":{"__proto__":{"a":1}}}': 'parameters: expected no key named __proto__',
    '{"content":"x","parameters":{"a":[{"__proto__":1}]}}': 'parameters: expected no key named __proto__',
    '{"content":"x","skill":{"description":"d","metadata":{"__proto__":"a"}}}': 'skill.metadata.__proto__: expected',
    '---\nparameters: { a: { __proto__: 1 } }\n---\nx': 'parameters: line 2: expected no key named __proto__',
    '---\nskill: { description: d, metadata: { __proto__: a } }\n---\nx':
      'skill: line 2: expected no key named __proto__',
  }
  for (const [body, says] of Object.entries(refused)) {
    const type = body.startsWith('{') ? 'application/json' : 'text/markdown'
    const answer = await ask('POST', `${GREET}/check`, body, type)
    expect(answer).toMatch(/^422 /)
    expect(answer).toContain(says)
  }
})

test('variables keep their names and descriptions', async () => {
  const variables = NAMES.map((name) => ({ name, description: `Of ${name}`, default: name, required: false }))
  const body = JSON.stringify({ content: TEXT, variables })
  const path = '/api/v1/repos/acme/variables/versions'
  expect(await ask('POST', path, body, 'application/json')).toMatch(/^201 /)
  for (const address of [AT, `${path}/1.0.0`]) {
    const { data } = JSON.parse((await ask('GET', address, '', '')).slice(4))
    expect(data.variables.map((one: { name: string; description: string }) => [one.name, one.description])).toEqual(
      NAMES.map((name) => [name, `Of ${name}`]),
    )
  }
})

const get = (more: string) =>
  `tools/call {"name":"get_prompt","arguments":{"owner":"acme","name":"greet","version":"1.0.0",${more}}}`
const NO_RESOURCE = '200  … "code":-32602 … There is no resource '
const RPC: Row[] = [
  ['tools/call {"name":"$","arguments":{}}', '200  … "code":-32602 … There is no tool $.'],
  ...['search_prompts', 'get_prompt', 'list_versions', 'list_tags'].flatMap((tool): Row[] => [
    [`tools/call {"name":"${tool}","arguments":{"$":{}}}`, '200  … $: unknown … "isError":true'],
    [`tools/call {"name":"${tool}","arguments":{"$":""}}`, '200  … $: unknown … "isError":true'],
    [`tools/call {"name":"${tool}","arguments":{"$":null}}`, '200  … $: unknown … "isError":true'],
    [`tools/call {"name":"${tool}","arguments":"{\\"$\\":1}"}`, '200  … $: unknown … "isError":true'],
  ]),
  ['tools/call {"name":"search_prompts","arguments":{"q":"$"}}', '200  … "name":"greet"'],
  ['tools/call {"name":"search_prompts","arguments":{"sort":"$"}}', '200  … sort: expected one of'],
  ['tools/call {"name":"search_prompts","arguments":{"tag":"$"}}', '200  … "data":[],', '200  … "name":"greet"'],
  ['tools/call {"name":"list_tags","arguments":{"q":"$"}}', '200  … "data":[],', '200  … "name":"constructor"'],
  ['tools/call {"name":"get_prompt","arguments":{"owner":"acme","name":"$"}}', '200  … "isError":true'],
  [get('"label":"$"').replace('"version":"1.0.0",', ''), '200  … has no label $.', `200  … ${TEXT.trim()}`],
  [get('"variables":{"$":"Ada"}'), '200  … Ada', '200  … Ada'],
  [get('"variables":"{\\"$\\":\\"Ada\\"}"'), '200  … Ada'],
  [get('"variables":{"$":7}'), '200  … "content":" … 7'],
  [get('"variables":{"$":null}'), '200  … "missing_variables":["__proto__","constructor","toString"]'],
  [get('"variables":{"$":{"a":1}}'), '200  … invalid_request: variables.$: expected a string … "isError":true'],
  ['$ {}', '200  … "code":-32601'],
  ['tools/list {"cursor":"$"}', '200  … "code":-32602'],
  [
    'initialize {"protocolVersion":"$","capabilities":{"$":{}},"clientInfo":{"name":"$","version":"1"}}',
    '200  … "serverInfo"',
  ],
  ['prompts/get {"name":"$"}', '200  … "code":-32602 … There is no prompt $.'],
  ['prompts/get {"name":"acme__$"}', '200  … "code":-32602 … There is no prompt acme__$.'],
  ['prompts/get {"name":"acme__greet","arguments":{"$":"Ada"}}', '200  … "code":-32602 … arguments: '],
  [
    'prompts/get {"name":"acme__greet","arguments":{"$":{}}}',
    '200  … "code":-32602 … arguments: expected an object of strings',
  ],
  ['resources/read {"uri":"$"}', `${NO_RESOURCE}$.`],
  ['resources/read {"uri":"hub://prompts/acme/$"}', NO_RESOURCE],
  ['resources/read {"uri":"hub://prompts/acme/greet/versions/$"}', NO_RESOURCE],
  ['resources/read {"uri":"skill://acme/helper/$"}', NO_RESOURCE],
  ['skills/get {"uri":"skill://acme/$/SKILL.md"}', '200  … "code":-32602 … There is no skill '],
  ['skills/get {"$":"skill://acme/helper/SKILL.md"}', '200  … "code":-32602 … Expected the skill as a string.'],
  ['resources/directory/read {"uri":"skill://acme/helper/$"}', '200  … "code":-32602'],
  [
    'completion/complete {"ref":{"type":"$"},"argument":{"name":"a","value":""}}',
    '200  … "code":-32602 … ref: expected',
  ],
  [
    'completion/complete {"ref":{"type":"ref/prompt","name":"acme__greet"},"argument":{"name":"$","value":""}}',
    '200  … "total":0',
  ],
  ...['"name":"$","value":""}', '"name":"name","value":"g"},"context":{"arguments":{"owner":"$"}}'].map(
    (argument): Row => [
      `completion/complete {"ref":{"type":"ref/resource","uri":"hub://prompts/{owner}/{name}"},"argument":{${argument}}`,
      '200  … "total":0',
    ],
  ),
]

test('MCP', async () => {
  const wrong = await findWrong(RPC, (row) => {
    const [method = '', ...params] = row.split(' ')
    return mcp(method, params.join(' '))
  })
  expect(wrong).toEqual([])
  const values = JSON.stringify(Object.fromEntries(NAMES.map((name, index) => [name, `value ${index}`])))
  const text = 'value 0 value 1 value 2'
  expect(await mcp('prompts/get', `{"name":"acme__greet","arguments":${values}}`)).toContain(text)
  const all = `{"name":"get_prompt","arguments":{"owner":"acme","name":"greet","variables":${values}}}`
  expect(await mcp('tools/call', all)).toContain(text)
})

test('forms of signed-in users', async () => {
  const rows: Row[] = [
    ['/acme/greet/manage change=$', '400 '],
    ['/acme/greet/manage $=$', '400 '],
    [
      '/acme/greet/manage change=label&label=$&version=1.0.0&confirmed=yes',
      '404  … No label can have this name',
      '303 ',
    ],
    ['/acme/greet/manage change=label&label=a&version=$', '422 '],
    ['/acme/greet/manage change=status&status=$', '422 '],
    ['/acme/settings change=$', '400 '],
    ['/acme/settings $=$', '400 '],
    ['/settings/tokens name=a&owner=$&days=1&repository=', '422 '],
  ]
  const wrong = await findWrong(rows, (row) => {
    const [address = '', fields] = row.split(' ')
    return submit(address, Object.fromEntries(new URLSearchParams(fields)))
  })
  expect(wrong).toEqual([])
})

test('nothing was an internal error', () => {
  expect(hub.logged()).not.toContain('"level":"error"')
})
