// Tests the code for traces in the guide to the libraries with the real packages of OpenTelemetry, Langfuse and LangSmith: each sends the
// attributes of the prompt.
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { COMPILED } from '../compiled.ts'
import { listen } from '../listen.ts'
import { type FaultHub, openFaultHub, sha256 } from './fault-hub.ts'
import { makeProject } from './installed.ts'

const run = promisify(execFile)
const PROMPT = 'Write a message for: {{diff}}'
const ATTRIBUTES = {
  'gen_ai.prompt.name': 'acme/commit-message',
  'gen_ai.prompt.version': '1.0.0',
  'prompt.sha256': sha256(PROMPT),
}

/** The documented code, keyed by its first import. */
const LINES = new Map(
  [...readFileSync('src/pages/docs/clients.md', 'utf8').matchAll(/```ts\n(import [^`]*?'([^']+)'\n[^`]*)```/g)]
    .filter(([, lines]) => lines!.includes('attributes()'))
    .map(([, lines, from]) => [from!, lines!]),
)

/** What the program around the code has: the values it uses, and a provider that prints each span when it ends. */
const AROUND = `import { setup } from './setup.ts'
setup()
const values = { diff: 'one line changed' }
const callModel = async (text: string): Promise<string> => 'answer to ' + text
`
const SETUP = `import { NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'
export function setup() {
  const exporter = {
    export(spans: { name: string; attributes: object }[], done: (result: { code: number }) => void) {
      for (const { name, attributes } of spans) console.log(JSON.stringify({ name, attributes }))
      done({ code: 0 })
    },
    shutdown: async () => {},
  }
  new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter as never)] }).register()
}
`

let hub: FaultHub
let langsmith: Server
let langsmithUrl: string
let received: string[] = []
let project: string
beforeAll(async () => {
  hub = await openFaultHub()
  const row = { version: '1.0.0', yanked: false, content_sha256: sha256(PROMPT) }
  hub.faults.set('/data/v1/repos/acme/commit-message/versions.json', (_request, answer) => {
    answer.end(JSON.stringify({ data: [row] }))
    return true
  })
  hub.faults.set('/data/v1/repos/acme/commit-message/versions/1.0.0.json', (_request, answer) => {
    const facts = { name: 'diff', description: '', type: 'string', required: true }
    const variables = [{ ...facts, default: null, options: [], example: null }]
    const record = { full_name: 'acme/commit-message', ...row, content: PROMPT, variables, parameters: {} }
    answer.end(JSON.stringify({ data: record }))
    return true
  })
  langsmith = createServer(async (request, answer) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    received.push(Buffer.concat(chunks).toString())
    answer.writeHead(200, { 'Content-Type': 'application/json' }).end('{}')
  })
  langsmithUrl = await listen(langsmith)
  project = await makeProject(hub.url)
  writeFileSync(join(project, 'setup.ts'), SETUP)
  // The package of LangSmith is one that LangChain brings.
  mkdirSync(join(project, 'node_modules'), { recursive: true })
  symlinkSync(
    resolve('tests/node_modules/@langchain/core/node_modules/langsmith'),
    join(project, 'node_modules/langsmith'),
  )
  for (const [from, lines] of LINES) {
    const imports = lines.match(/^import .*\n/gm)!.join('')
    const rest = lines.replaceAll(/^import .*\n/gm, '')
    writeFileSync(join(project, fileOf(from)), `${imports}${AROUND}${rest}console.log(JSON.stringify({ answer }))\n`)
  }
})
afterAll(async () => {
  await hub.stop()
  await new Promise((done) => langsmith.close(done))
  rmSync(project, { recursive: true, force: true })
})

const fileOf = (from: string) => `traces-${from.replaceAll(/[^a-z]/g, '-')}.ts`
async function runGuide(from: string): Promise<Record<string, unknown>[]> {
  received = []
  const env = {
    PATH: process.env.PATH,
    ...COMPILED,
    LANGSMITH_TRACING: 'true',
    LANGSMITH_API_KEY: 'none',
    LANGSMITH_PROJECT: 'test',
    LANGSMITH_TRACING_BACKGROUND: 'false',
    LANGSMITH_DISABLE_RUN_COMPRESSION: 'true',
    LANGSMITH_ENDPOINT: langsmithUrl,
  }
  const { stdout } = await run(process.execPath, [fileOf(from)], { cwd: project, env })
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}
const ANSWER = { answer: 'answer to Write a message for: one line changed' }

test('the guide has code for each', () => {
  expect([...LINES.keys()]).toEqual(['@opentelemetry/api', '@langfuse/tracing', 'langsmith/traceable'])
})

test('OpenTelemetry: the span has the attributes', async () => {
  expect(await runGuide('@opentelemetry/api')).toEqual([{ name: 'chat', attributes: ATTRIBUTES }, ANSWER])
})

test('Langfuse: the generation has them as metadata', async () => {
  const [span, answer] = await runGuide('@langfuse/tracing')
  expect(answer).toEqual(ANSWER)
  const metadata = Object.entries(ATTRIBUTES).map(([key, value]) => [`langfuse.observation.metadata.${key}`, value])
  expect(span).toMatchObject({ name: 'chat', attributes: Object.fromEntries(metadata) })
})

test('LangSmith: the run has them as metadata', async () => {
  expect(await runGuide('langsmith/traceable')).toEqual([ANSWER])
  const sent = received.join('\n')
  for (const [key, value] of Object.entries(ATTRIBUTES)) expect(sent).toContain(`"${key}":"${value}"`)
})
