// Tests the calls of model SDKs with the real packages and a local fake API: the documented code compiles and sends the filled
// prompt, and each SDK takes what prompt.for returns.
import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PromptHub } from '../../clients/typescript/source/prompt-hub.ts'
import { EXAMPLE_MODELS, nameModels } from '../../src/site/docs/example-models.ts'
import { COMPILED } from '../compiled.ts'
import { listen } from '../listen.ts'
import { words } from '../words.ts'
import { type FaultHub, openFaultHub, sha256 } from './fault-hub.ts'
import { makeProject } from './installed.ts'

const run = promisify(execFile)
const { OPENAI_MODEL, ANTHROPIC_MODEL } = EXAMPLE_MODELS
const FILLED = 'Write a message for: one line changed'

const [CLIENTS, FILLING] = ['src/pages/docs/clients.md', 'src/pages/docs/filling.md'] as const
/** The documented code, keyed by its first import. */
const linesIn = (path: string) =>
  [...nameModels(readFileSync(path, 'utf8')).matchAll(/```ts\n(import [^`]*?'([^']+)'\n[^`]*)```/g)].map(
    ([, lines, from]) => [from!, lines!] as const,
  )
const LINES = new Map(linesIn(CLIENTS).filter(([, lines]) => lines.includes('{ diff }')))
/** The same code for a chat prompt. */
const CHAT_LINES = new Map(linesIn(FILLING))
const HISTORY = [
  { role: 'user', content: 'Hello' },
  { role: 'assistant', content: 'Hi' },
]

const SCHEMA = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] }
const ORDER = { type: 'object', properties: { id: { type: 'string' } } }
const TOOL = { name: 'lookup_order', description: 'Looks up an order', parameters: ORDER }
const PARAMETERS = {
  model: 'model-1',
  temperature: 0.2,
  top_p: 0.9,
  max_tokens: 300,
  response_format: { type: 'json_schema', json_schema: { name: 'reply', schema: SCHEMA } },
  tools: [{ type: 'function', function: TOOL }],
}
const CHAT = '{{role "system"}}\nBe brief.\n\n{{history}}\n\n{{role "user"}}\n{{question}}'
const PROMPTS: Record<string, { content: string; parameters: Record<string, unknown> }> = {
  'commit-message': { content: 'Write a message for: {{diff}}', parameters: {} },
  'help-desk': { content: CHAT, parameters: {} },
  chat: { content: CHAT, parameters: PARAMETERS },
  // What not every SDK has.
  more: { content: CHAT, parameters: { ...PARAMETERS, stop: ['END'], seed: 7, top_k: 40, presence_penalty: 0.5 } },
  text: { content: 'Answer {{question}}', parameters: { model: 'model-1', max_tokens: 9 } },
}

/** The keys that each API knows, in the order of the documentation; it answers 400 to any other. */
const KEYS: [path: RegExp, keys: string[]][] = [
  [
    /\/chat\/completions$/,
    words`model messages temperature top_p max_completion_tokens stop seed response_format tools presence_penalty frequency_penalty`,
  ],
  [/\/responses$/, words`model input temperature top_p max_output_tokens text tools`],
  [/\/messages$/, words`model messages system temperature top_p top_k max_tokens stop_sequences tools output_config`],
  [/:generateContent$/, words`contents systemInstruction generationConfig tools`],
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
const ANSWERS: [path: RegExp, answer: unknown][] = [
  [/\/responses$/, response],
  [/\/chat\/completions$/, completion],
  [/\/messages$/, message],
  [/:generateContent$/, { candidates: [{ content: { role: 'model', parts: [{ text: 'the answer' }] } }] }],
]
const findFor = <T>(path: string, table: [path: RegExp, value: T][]) =>
  table.find(([pattern]) => pattern.test(path))?.[1]

let hub: FaultHub
let models: Server
/** Whether the API answers 400 to keys that it does not know. */
let isStrict = false
let asked: { path: string; body: Record<string, unknown> }[] = []
let project: string
let base: string
beforeAll(async () => {
  hub = await openFaultHub()
  for (const [name, { content, parameters }] of Object.entries(PROMPTS)) {
    const facts = { version: '1.0.0', content_sha256: sha256(content) }
    const variable = { name: content === CHAT || name === 'text' ? 'question' : 'diff', type: 'string', required: true }
    const variables = [{ ...variable, description: '', default: null, options: [], example: null }]
    const format = content === CHAT ? 'chat' : 'text'
    const record = { ...facts, full_name: `acme/${name}`, format, content, variables, parameters }
    for (const [path, data] of [
      ['versions.json', [{ ...facts, yanked: false }]],
      ['versions/1.0.0.json', record],
    ] as const)
      hub.faults.set(`/data/v1/repos/acme/${name}/${path}`, (_request, answer) => {
        answer.end(JSON.stringify({ data }))
        return true
      })
  }
  models = createServer(async (request, answer) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>
    const path = new URL(request.url ?? '', 'http://models').pathname
    asked.push({ path, body })
    const known = findFor(path, KEYS) ?? []
    const unknown = isStrict ? Object.keys(body).find((key) => !known.includes(key)) : undefined
    answer.writeHead(unknown === undefined ? 200 : 400, { 'Content-Type': 'application/json' })
    const said = { error: { message: `Unknown parameter: ${unknown}` } }
    answer.end(JSON.stringify(unknown === undefined ? findFor(path, ANSWERS) : said))
  })
  base = await listen(models)
  project = await makeProject(hub.url)
  for (const [from, lines] of LINES)
    writeFileSync(join(project, `${fileOf(from)}.ts`), `const diff = 'one line changed'\n${lines}`)
  const given = `const question = 'Why?'\nconst history = ${JSON.stringify(HISTORY)} as { role: 'user' | 'assistant'; content: string }[]\n`
  for (const [from, lines] of CHAT_LINES) writeFileSync(join(project, `chat-${fileOf(from)}.ts`), given + lines)
  writeFileSync(join(project, 'lines.ts'), linesOfGuides())
  writeFileSync(join(project, 'program.ts'), PROGRAM)
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

/** A model of the AI SDK that notes what it is asked. The version of its interface differs between the versions of the SDK. */
const model = (specificationVersion: string) => `{
  specificationVersion: '${specificationVersion}' as never, provider: 'test', modelId: 'test', supportedUrls: {},
  async doGenerate(options: never) {
    noted.push(options)
    const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
    const finishReason = { unified: 'stop', raw: 'stop' }
    return { content: [{ type: 'text', text: '${JSON.stringify({ answer: 'ok' })}' }], finishReason, usage, warnings: [] } as never
  },
  doStream: undefined as never,
}`
const PROGRAM = `
import OpenAI from 'openai'
import OpenAI6 from 'openai-6'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import { generateText as generateText6 } from 'ai-6'
import { generateText as generateText7 } from 'ai'
import { PromptHub } from 'prompt-hub-client'

const base = process.argv[2]!
const noted: unknown[] = []
const options = { apiKey: 'none', maxRetries: 0 }
const openai = new OpenAI({ ...options, baseURL: base + '/v1' })
const anthropic = new Anthropic({ ...options, baseURL: base })
const gemini = new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: base } })
const got: unknown[] = []
const hub = new PromptHub()
const chat = await hub.get('acme/chat@1.0.0')
const text = await hub.get('acme/text@1.0.0')
const values = { question: 'Refund?' }
const history = { history: [{ role: 'user', content: 'Hello' }, { role: 'assistant', content: 'Hi' }] } as const
for (const [prompt, given] of [[chat, history], [text, {}]] as const) {
  await openai.chat.completions.create({ model: 'x', ...prompt.for('openai-chat', values, given) })
  await openai.responses.create({ model: 'x', ...prompt.for('openai-responses', values, given) })
  await anthropic.messages.create({ model: 'x', max_tokens: 1024, ...prompt.for('anthropic', values, given) })
  await gemini.models.generateContent({ model: 'x', ...prompt.for('gemini', values, given) })
  const six = await generateText6({ model: ${model('v3')}, ...prompt.for('ai-sdk', values, given) })
  const seven = await generateText7({ model: ${model('v4')}, ...prompt.for('ai-sdk', values, given) })
  if (prompt === chat) got.push(six.output, seven.output)
}
const openai6 = new OpenAI6({ ...options, baseURL: base + '/v1' })
await openai6.chat.completions.create({ model: 'x', ...chat.for('openai-chat', values, history) })
await openai6.responses.create({ model: 'x', ...chat.for('openai-responses', values, history) })
console.log(JSON.stringify({ noted, got }))
`

/** The lines of the guides that call an SDK with prompt.for, and keep a worker alive. */
function linesOfGuides(): string {
  const [parameters, clients] = [FILLING, CLIENTS].map((path) =>
    [...readFileSync(path, 'utf8').matchAll(/```ts\n([^`]*(?:for\('openai-chat'|ctx\.)[^`]*)```/g)]
      .map(([, code]) => code)
      .join(''),
  )
  expect([parameters, clients]).not.toContain('')
  return `import OpenAI from 'openai'
import { PromptHub } from 'prompt-hub-client'
const openai = new OpenAI()
const hub = new PromptHub()
const question = ''
declare const ctx: { waitUntil(promise: Promise<unknown>): void }
export async function inWorker() {
  ${clients}
  ${parameters}
  return answer.choices
}
`
}

test('the examples compile in strict mode, and what prompt.for returns has the types of each SDK', async () => {
  const strict = words`
    --strict --noEmit --skipLibCheck --module nodenext --target es2022 --ignoreConfig
  `
  const files = [...LINES.keys()].flatMap((from) => [`${fileOf(from)}.ts`, `chat-${fileOf(from)}.ts`])
  const tsc = resolve('tests/node_modules/typescript-7/bin/tsc')
  const older = files.filter((file) => file.includes('openai')).map((file) => join('older', file))
  const all = [...files, ...older, 'program.ts', 'lines.ts']
  const compiled = run(process.execPath, [tsc, ...strict, '--types', 'node', ...all], { cwd: project })
  expect(
    await compiled.then(
      () => '',
      ({ stdout }) => stdout,
    ),
  ).toBe('')
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

test('the real SDKs take what prompt.for returns', async () => {
  asked = []
  isStrict = true
  const { stdout } = await run(process.execPath, ['program.ts', base], {
    cwd: project,
    env: { PATH: process.env.PATH, ...COMPILED, AI_SDK_LOG_WARNINGS: 'false' },
  })
  const said = [
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'Hi' },
    { role: 'user', content: 'Refund?' },
  ]
  const system = { role: 'system', content: 'Be brief.' }
  const one = [{ role: 'user', content: 'Answer Refund?' }]
  // At the end, the older version of OpenAI's package.
  expect(asked.splice(8)).toEqual(asked.slice(0, 2))
  expect(asked).toEqual([
    {
      path: '/v1/chat/completions',
      body: {
        model: 'model-1',
        messages: [system, ...said],
        temperature: 0.2,
        top_p: 0.9,
        max_completion_tokens: 300,
        response_format: PARAMETERS.response_format,
        tools: PARAMETERS.tools,
      },
    },
    {
      path: '/v1/responses',
      body: {
        model: 'model-1',
        input: [system, ...said],
        temperature: 0.2,
        top_p: 0.9,
        max_output_tokens: 300,
        text: { format: { type: 'json_schema', name: 'reply', schema: SCHEMA } },
        tools: [{ type: 'function', strict: false, ...TOOL }],
      },
    },
    {
      path: '/v1/messages',
      body: {
        model: 'model-1',
        system: 'Be brief.',
        messages: said,
        temperature: 0.2,
        top_p: 0.9,
        max_tokens: 300,
        output_config: { format: { type: 'json_schema', schema: SCHEMA } },
        tools: [{ name: TOOL.name, description: TOOL.description, input_schema: ORDER }],
      },
    },
    {
      path: '/v1/models/model-1:generateContent',
      body: {
        systemInstruction: { parts: [{ text: 'Be brief.' }], role: 'user' },
        contents: said.map(({ role, content }) => ({
          role: role === 'user' ? role : 'model',
          parts: [{ text: content }],
        })),
        generationConfig: {
          temperature: 0.2,
          topP: 0.9,
          maxOutputTokens: 300,
          responseMimeType: 'application/json',
          responseJsonSchema: SCHEMA,
        },
        tools: [
          { functionDeclarations: [{ name: TOOL.name, description: TOOL.description, parametersJsonSchema: ORDER }] },
        ],
      },
    },
    { path: '/v1/chat/completions', body: { model: 'model-1', messages: one, max_completion_tokens: 9 } },
    { path: '/v1/responses', body: { model: 'model-1', input: one, max_output_tokens: 9 } },
    { path: '/v1/messages', body: { model: 'model-1', messages: one, max_tokens: 9 } },
    {
      path: '/v1/models/model-1:generateContent',
      body: {
        contents: [{ role: 'user', parts: [{ text: 'Answer Refund?' }] }],
        generationConfig: { maxOutputTokens: 9 },
      },
    },
  ])
  const { noted, got } = JSON.parse(stdout)
  expect(got).toEqual([{ answer: 'ok' }, { answer: 'ok' }])
  const prompt = [system, ...said].map(({ role, content }) => ({
    role,
    content: role === 'system' ? content : [{ type: 'text', text: content }],
  }))
  const settings = { prompt, temperature: 0.2, topP: 0.9, maxOutputTokens: 300 }
  const tools = [{ type: 'function', name: TOOL.name, description: TOOL.description, inputSchema: ORDER }]
  const responseFormat = { type: 'json', schema: SCHEMA, name: 'reply' }
  expect(noted).toMatchObject([
    { ...settings, tools, responseFormat },
    { ...settings, tools, responseFormat },
    ...Array.from({ length: 2 }, () => ({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'Answer Refund?' }] }],
      maxOutputTokens: 9,
    })),
  ])
})

/** What each SDK cannot take of the prompt with more parameters. */
const REFUSED: [target: 'openai-chat' | 'openai-responses' | 'anthropic' | 'gemini' | 'ai-sdk', names: string[]][] = [
  ['openai-chat', ['top_k']],
  ['openai-responses', ['stop', 'seed', 'top_k', 'presence_penalty']],
  ['anthropic', ['seed', 'presence_penalty']],
  ['gemini', []],
  ['ai-sdk', []],
]

test.each(REFUSED)('%s: an error names what it cannot take, and drop leaves it out', async (target, names) => {
  const prompt = await new PromptHub({ url: hub.url }).get('acme/more@1.0.0')
  const call = (options = {}) => prompt.for(target, { question: 'Why?' }, options)
  const refusal = () => {
    try {
      call()
      return ''
    } catch (error) {
      return (error as Error).message
    }
  }
  const found = Object.keys(PROMPTS.more!.parameters).filter((name) => refusal().includes(`${name} (`))
  expect(found).toEqual(names)
  if (names.length > 0) expect(refusal()).toContain('acme/more 1.0.0: ')
  const dropped = JSON.stringify(call({ drop: true }))
  expect(dropped).toContain('300')
  for (const name of names) expect(dropped).not.toContain(`"${name}"`)
})

test('values of the wrong type, and a name that is no SDK', async () => {
  const prompt = await new PromptHub({ url: hub.url }).get('acme/text@1.0.0')
  expect(() => prompt.for('openai' as 'anthropic', { question: 'Why?' })).toThrow('expected one of openai-chat, ')
  expect(() => prompt.for('anthropic', {})).toThrow('question: missing')
  expect(() => prompt.for('anthropic', { question: '', x: 1 })).toThrow('x: unknown')
  expect(prompt.for('anthropic', { question: '', x: 1 }, { unknown: 'ignore' }).messages).toHaveLength(1)
})

test('the Python library returns the same, in the names of Python', async () => {
  const program = `
import json, sys
from prompt_hub import PromptHub, PromptHubError
hub, got = PromptHub(sys.argv[1]), []
for name in ("chat", "text", "more"):
    prompt = hub.get(f"acme/{name}@1.0.0")
    for call in (prompt.for_openai_chat, prompt.for_openai_responses, prompt.for_anthropic, prompt.for_gemini):
        try:
            got.append(call(question="Why?"))
        except PromptHubError as error:
            got.append(str(error))
        got.append(call({"question": "Why?", "x": 1}, unknown="ignore", drop=True))
print(json.dumps(got))
`
  const { stdout } = await run('python3', ['-c', program, hub.url], {
    env: { ...process.env, PYTHONPATH: 'clients/python' },
  })
  const client = new PromptHub({ url: hub.url })
  const expected: unknown[] = []
  for (const name of ['chat', 'text', 'more']) {
    const prompt = await client.get(`acme/${name}@1.0.0`)
    for (const target of ['openai-chat', 'openai-responses', 'anthropic', 'gemini'] as const)
      for (const options of [{}, { drop: true }])
        try {
          expected.push(prompt.for(target, { question: 'Why?' }, options))
        } catch (error) {
          expected.push((error as Error).message.replace('drop: true', 'drop=True'))
        }
  }
  // Python's package for Gemini has the same names in snake case.
  const snake = JSON.stringify(expected).replace(
    /"(systemInstruction|topP|topK|maxOutputTokens|stopSequences|presencePenalty|frequencyPenalty|responseMimeType|responseJsonSchema|functionDeclarations|parametersJsonSchema)"/g,
    (key) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  )
  expect(JSON.parse(stdout)).toEqual(JSON.parse(snake))
})
