// Checks that clients generated from the API description compile in strict mode and work: each client calls every
// operation.
import { execFileSync } from 'node:child_process'
import { readFileSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { describeApi } from '../../src/catalogue/published/openapi.ts'
import { BASE_URL } from '../hubs/make-hub.ts'
import { type Hub, openHub } from '../hubs/publishing.ts'
import { openLocalWorld } from '../hubs/worlds.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { writeFiles } from '../write-files.ts'

const folder = temporaryFolder('hub-generated-')

/** Returns the path of a package's first command. */
function commandOf(name: string): string {
  const { bin } = JSON.parse(readFileSync(`tests/node_modules/${name}/package.json`, 'utf8')) as {
    bin: string | Record<string, string>
  }
  return resolve('tests/node_modules', name, typeof bin === 'string' ? bin : Object.values(bin)[0]!)
}

const world = openLocalWorld({ 'content/acme/index.md': '---\nname: Acme\n---\n' })
let hub: Hub

/** Passes a client's requests to the handlers in this process. */
const send: typeof fetch = async (input, init) => {
  const request = new Request(input, init)
  const { pathname, search } = new URL(request.url)
  const path = pathname + search
  const answer =
    request.method === 'POST'
      ? await hub.publish(await request.text(), { path, headers: Object.fromEntries(request.headers), token: null })
      : await hub.read(path, Object.fromEntries(request.headers), request.method)
  const hasBody = ![204, 304].includes(answer.status)
  return new Response(hasBody ? new Uint8Array(answer.bytes) : null, { status: answer.status, headers: answer.headers })
}

/**
 * The same tasks written for each client, in `uses/`; each returns the same result. The file extension is not .ts,
 * because the imports are generated.
 */
const USES = ['openapi-fetch', 'hey-api'] as const

beforeAll(async () => {
  hub = await openHub(world)
  await hub.build()
  const write = (path: string, text: string) => {
    writeFiles(folder, { [path]: text })
  }
  const run = (program: string, ...args: string[]) =>
    execFileSync(process.execPath, [program, ...args], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  symlinkSync(resolve('tests/node_modules'), join(folder, 'node_modules'))
  write('package.json', '{"type":"module"}')
  write('openapi.json', JSON.stringify(describeApi(BASE_URL)))
  for (const use of USES) write(`use-${use}.ts`, readFileSync(`tests/openapi/uses/use-${use}.ts.txt`, 'utf8'))
  const options = {
    target: 'es2024',
    module: 'nodenext',
    strict: true,
    skipLibCheck: true,
    lib: ['es2024', 'dom', 'dom.iterable'],
    types: [],
    outDir: 'out',
    rewriteRelativeImportExtensions: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: false,
  }
  write('tsconfig.json', JSON.stringify({ compilerOptions: options, include: ['*.ts', 'hey-api/**/*.ts'] }))
  run(commandOf('openapi-typescript'), 'openapi.json', '--output', 'openapi-typescript.ts')
  run(
    commandOf('@hey-api/openapi-ts'),
    '--input',
    'openapi.json',
    '--output',
    'hey-api',
    '--plugins',
    '@hey-api/client-fetch',
    '@hey-api/typescript',
    '@hey-api/sdk',
  )
  try {
    run(resolve('tests/node_modules/typescript-7/bin/tsc'), '--project', 'tsconfig.json')
  } catch (error) {
    // tsc writes its errors to standard output.
    throw new Error(String((error as { stdout?: string }).stdout ?? error))
  }
})

describe('generated clients compile in strict mode and make every call', () => {
  test.each(USES)('%s', async (name) => {
    const { use } = await import(/* @vite-ignore */ pathToFileURL(join(folder, 'out', `use-${name}.js`)).href)
    expect(await use(send, hub.token, () => hub.build())).toEqual([
      ...['1.0.0', 5, 'acme', `acme/${name}`, '1.0.0', 'Hello {{name}}', 'name', 'Hello {{name}}'],
      ...[0, 'Acme', 200, 'not_found'],
    ])
  })
})
