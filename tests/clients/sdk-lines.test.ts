// Tests the documented code for each model SDK with the real packages and a local fake API: it compiles and sends the
// filled prompt.
import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EXAMPLE_MODELS, nameModels } from '../../src/site/docs/example-models.ts'
import { COMPILED } from '../compiled.ts'
import { words } from '../words.ts'
import { type FaultHub, openFaultHub, sha256 } from './fault-hub.ts'
import { makeProject } from './installed.ts'

const run = promisify(execFile)
const { OPENAI_MODEL, ANTHROPIC_MODEL } = EXAMPLE_MODELS
const FILLED = 'Write a message for: one line changed'
const PROMPT = 'Write a message for: {{diff}}'

/** The documented code, keyed by its first import. */
const LINES = new Map(
  [
    ...nameModels(readFileSync('src/pages/docs/clients.md', 'utf8')).matchAll(
      /```ts\n(import [^`]*?'([^']+)'\n[^`]*)```/g,
    ),
  ]
    .filter(([, lines]) => lines!.includes('{ diff }'))
    .map(([, lines, from]) => [from!, lines!]),
)

/** The same code for a chat prompt. */
const CHAT_LINES = new Map(
  [
    ...nameModels(readFileSync('src/pages/docs/filling.md', 'utf8')).matchAll(
      /```ts\n(import [^`]*?'([^']+)'\n[^`]*)```/g,
    ),
  ].map(([, lines, from]) => [from!, lines!]),
)
const CHAT = '{{role "system"}}\nBe brief.\n\n{{history}}\n\n{{role "user"}}\n{{question}}\n'
const HISTORY = [
  { role: 'user', content: 'Hello' },
  { role: 'assistant', content: 'Hi' },
]

const response = {
  id: 'r1',
  object: 'response',
  created_at: 1,
  model: OPENAI_MODEL,
  status: 'completed',
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  parallel_tool_calls: true,
  tools: [],
  output: [
    {
      id: 'm1',
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'the answer', annotations: [] }],
    },
  ],
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
}
const completion = {
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: OPENAI_MODEL,
  choices: [{ index: 0, message: { role: 'assistant', content: 'the answer' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
}
const message = {
  id: 'm1',
  type: 'message',
  role: 'assistant',
  model: ANTHROPIC_MODEL,
  stop_reason: 'end_turn',
  stop_sequence: null,
  content: [{ type: 'text', text: 'the answer' }],
  usage: { input_tokens: 1, output_tokens: 1 },
}
const ANSWERS: Record<string, unknown> = {
  '/v1/responses': response,
  '/v1/chat/completions': completion,
  '/v1/messages': message,
}

let hub: FaultHub
let models: Server
let asked: { path: string; body: Record<string, unknown> }[] = []
let project: string
let base: string
beforeAll(async () => {
  hub = await openFaultHub()
  hub.faults.set('/data/v1/repos/acme/commit-message/versions.json', (_request, answer) => {
    answer.end(JSON.stringify({ data: [{ version: '1.0.0', yanked: false, content_sha256: sha256(PROMPT) }] }))
    return true
  })
  hub.faults.set('/data/v1/repos/acme/commit-message/versions/1.0.0.json', (_request, answer) => {
    const variable = {
      name: 'diff',
      description: '',
      type: 'string',
      required: true,
      default: null,
      options: [],
      example: null,
    }
    const record = {
      full_name: 'acme/commit-message',
      version: '1.0.0',
      content: PROMPT,
      content_sha256: sha256(PROMPT),
    }
    answer.end(JSON.stringify({ data: { ...record, variables: [variable], parameters: {} } }))
    return true
  })
  hub.faults.set('/data/v1/repos/acme/help-desk/versions.json', (_request, answer) => {
    answer.end(JSON.stringify({ data: [{ version: '1.0.0', yanked: false, content_sha256: sha256(CHAT) }] }))
    return true
  })
  hub.faults.set('/data/v1/repos/acme/help-desk/versions/1.0.0.json', (_request, answer) => {
    const facts = { name: 'question', description: '', type: 'string', required: true }
    const variables = [{ ...facts, default: null, options: [], example: null }]
    const record = { full_name: 'acme/help-desk', version: '1.0.0', content: CHAT, content_sha256: sha256(CHAT) }
    answer.end(JSON.stringify({ data: { ...record, format: 'chat', variables, parameters: {} } }))
    return true
  })
  models = createServer(async (request, answer) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    asked.push({ path: request.url ?? '', body: JSON.parse(Buffer.concat(chunks).toString()) })
    answer.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(ANSWERS[request.url ?? '']))
  })
  await new Promise<void>((done) => models.listen(0, '127.0.0.1', done))
  base = `http://127.0.0.1:${(models.address() as AddressInfo).port}`
  project = await makeProject(hub.url)
  for (const [from, lines] of LINES)
    writeFileSync(join(project, `${fileOf(from)}.ts`), `const diff = 'one line changed'\n${lines}`)
  const given = `const question = 'Why?'\nconst history = ${JSON.stringify(HISTORY)} as { role: 'user' | 'assistant'; content: string }[]\n`
  for (const [from, lines] of CHAT_LINES) writeFileSync(join(project, `chat-${fileOf(from)}.ts`), given + lines)
  // The same files in a folder with the oldest versions that the guide names.
  for (const [name, older] of OLDER) {
    const there = join(project, 'older/node_modules', name)
    mkdirSync(dirname(there), { recursive: true })
    symlinkSync(resolve('tests/node_modules', older), there)
  }
  for (const file of readdirSync(project).filter((name) => name.endsWith('.ts')))
    copyFileSync(join(project, file), join(project, 'older', file))
})
afterAll(async () => {
  await hub.stop()
  await new Promise((done) => models.close(done))
  rmSync(project, { recursive: true, force: true })
})

/** The packages with a documented older version, and the names of that in package.json. */
const OLDER = [
  ['openai', 'openai-6'],
  ['ai', 'ai-6'],
  ['@ai-sdk/openai', 'ai-sdk-openai-3'],
] as const

const fileOf = (from: string) => `use${from.replaceAll(/[^a-z]/g, '-')}`

test('the docs have a five-line example for each SDK', () => {
  expect([...LINES.keys()]).toEqual(['openai', '@anthropic-ai/sdk', '@ai-sdk/openai', '@langchain/openai'])
  for (const lines of LINES.values()) expect(lines.trimEnd().split('\n')).toHaveLength(5)
})

test('the examples compile in strict mode', async () => {
  const strict = words`
    --strict --noEmit --skipLibCheck --module nodenext --target es2022 --ignoreConfig
  `
  const files = [...LINES.keys()].flatMap((from) => [`${fileOf(from)}.ts`, `chat-${fileOf(from)}.ts`])
  const tsc = resolve('node_modules/typescript/bin/tsc')
  const older = files.filter((file) => file.includes('openai')).map((file) => join('older', file))
  const { stdout } = await run(process.execPath, [tsc, ...strict, '--types', 'node', ...files, ...older], {
    cwd: project,
  })
  expect(stdout).toBe('')
})

describe('requests sent by the examples, for a text and for a chat prompt', () => {
  const SAID = { role: 'user', content: FILLED }
  const QUESTION = { role: 'user', content: 'Why?' }
  const typed = (text: string) => ({ role: 'user', content: [{ type: 'input_text', text }] })
  test.each([
    [
      'openai',
      { path: '/v1/responses', body: { model: OPENAI_MODEL, input: FILLED } },
      {
        path: '/v1/chat/completions',
        body: { messages: [{ role: 'system', content: 'Be brief.' }, ...HISTORY, QUESTION] },
      },
    ],
    [
      '@anthropic-ai/sdk',
      { path: '/v1/messages', body: { model: ANTHROPIC_MODEL, max_tokens: 1024, messages: [SAID] } },
      { path: '/v1/messages', body: { system: 'Be brief.', messages: [...HISTORY, QUESTION] } },
    ],
    [
      '@ai-sdk/openai',
      { path: '/v1/responses', body: { model: OPENAI_MODEL, input: [typed(FILLED)] } },
      {
        path: '/v1/responses',
        body: {
          input: [
            { role: 'developer', content: 'Be brief.' },
            typed('Hello'),
            // Its text is a list of parts in the older version.
            { role: 'assistant' },
            typed('Why?'),
          ],
        },
      },
    ],
    [
      '@langchain/openai',
      { path: '/v1/chat/completions', body: { model: OPENAI_MODEL, messages: [SAID] } },
      {
        path: '/v1/chat/completions',
        body: { messages: [{ role: 'developer', content: 'Be brief.' }, ...HISTORY, QUESTION] },
      },
    ],
  ])('%s', async (from, text, chat) => {
    const env = {
      PATH: process.env.PATH,
      ...COMPILED,
      OPENAI_API_KEY: 'none',
      ANTHROPIC_API_KEY: 'none',
      LANGCHAIN_TRACING_V2: 'false',
      OPENAI_BASE_URL: `${base}/v1`,
      ANTHROPIC_BASE_URL: base,
    }
    // Both in one process, because to load a package takes longest.
    const both = ['--import', `./${fileOf(from)}.ts`, `chat-${fileOf(from)}.ts`]
    for (const cwd of OLDER.some(([name]) => name === from) ? [project, join(project, 'older')] : [project]) {
      asked = []
      const { stdout } = await run(process.execPath, both, { cwd, env })
      expect(stdout).toMatch(/the answer[\s\S]*the answer/)
      expect(asked).toMatchObject([text, chat])
    }
  })
})
