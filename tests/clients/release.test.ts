// Checks the frozen releases of the libraries: they never change, and the packages from a hub can be installed in empty
// projects and used.
import { execFile, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addToLock } from '../../clients/typescript/source/vendoring.ts'
import { listClientDownloads, readClientReleases } from '../../src/site/downloads/libraries.ts'
import { CONTENTS, type FaultHub, openFaultHub } from './fault-hub.ts'

const run = promisify(execFile)
const HAS_PIP = spawnSync('python3', ['-m', 'pip', '--version']).status === 0
/**
 * The SHA-256 of each package for the URL http://localhost:8888. Each release adds a line, and existing lines never
 * change.
 */
const RELEASED: Record<string, string> = {
  'prompt-hub-client-1.0.0.tgz': '6239f858a4bc0383a56f16f53479c18e837e78f217f48d8cc880a0afc025be16',
  'prompt_hub_client-1.0.0-py3-none-any.whl': 'cf482ad0c90332917951f0f9a312b5e7150ad2bdc8bc6e12a3267553d749f70f',
  'prompt-hub-client-1.1.0.tgz': 'c7ef85515bd73dbf898c8745712600698a0a86681c458bec4f135b7841379a4f',
  'prompt_hub_client-1.1.0-py3-none-any.whl': '3beae47d61ffe76b18217da807c3623653f0968c71dd9f094922442ef192c069',
  'prompt-hub-client-1.2.0.tgz': 'bdbe9c4320f30cac1d7086c1dfac7a75850af2e0808bd867618801b8b728c9d1',
  'prompt_hub_client-1.2.0-py3-none-any.whl': '994c3bb9abf2e3bc5af541104b2877c54f9254335142f209ff163ddbbd51d0e9',
  'prompt-hub-client-1.2.1.tgz': '84ee695fecd92245fd57641c799ea3a0be1671db000f5ee1c56067f6a9e7c2d7',
  'prompt_hub_client-1.2.1-py3-none-any.whl': 'ddd7fcd08c4f9cbf753b8d5f2414f5b50790f1352e49deca231ff99560e10966',
}

let hub: FaultHub
let folder: string
beforeAll(async () => {
  hub = await openFaultHub()
  folder = mkdtempSync(join(tmpdir(), 'prompt-hub-release-'))
  for (const [path, content] of listClientDownloads(await readClientReleases('.'), hub.url))
    writeFileSync(join(folder, path.slice(path.lastIndexOf('/') + 1)), content)
})
afterAll(async () => {
  await hub.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('released packages never change, and each has a matching checksum file', async () => {
  const files = new Map(listClientDownloads(await readClientReleases('.'), 'http://localhost:8888'))
  for (const [name, sha256] of Object.entries(RELEASED)) {
    const path = `/clients/releases/${/-(\d+\.\d+\.\d+)[.-]/.exec(name)?.[1]}/${name}`
    expect(createHash('sha256').update(files.get(path)!).digest('hex'), name).toBe(sha256)
    expect(files.get(`${path}.sha256`)).toBe(`${sha256}  ${name}\n`)
  }
  expect(files.size).toBe(Object.keys(RELEASED).length * 2)
})

test.each(["http://x.example/'", 'ftp://x.example', 'http://x.example/"', 'http://x.example/\\'])(
  'rejects the hub URL %s',
  async (address) => {
    const releases = await readClientReleases('.')
    expect(() => listClientDownloads(releases, address)).toThrow(/expected an http/)
  },
)

describe('installed into an empty project', () => {
  test('npm: defaults to the hub it came from, the command works, and values are type-checked', async () => {
    const project = mkdtempSync(join(folder, 'npm-'))
    writeFileSync(join(project, 'package.json'), '{"type":"module"}')
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, 'prompt-hub-client-1.2.1.tgz')], {
      cwd: project,
    })
    writeFileSync(
      join(project, 'use.mjs'),
      `import { PromptHub } from 'prompt-hub-client'
const prompt = await new PromptHub().get('acme/hello@1.1.0')
process.stdout.write(prompt.fill({ name: 'Ann' }))`,
    )
    expect((await run('node', ['use.mjs'], { cwd: project })).stdout).toBe('Hello Ann, ')
    const command = join(project, 'node_modules/.bin/prompt-hub')
    expect((await run(command, ['add', 'acme/hello@^1'], { cwd: project })).stdout).toBe('acme/hello 1.1.0\n')
    expect((await run(command, ['verify'], { cwd: project })).stdout).toBe('1 verified\n')
    await run(command, ['types'], { cwd: project })
    const check = async (values: string) => {
      writeFileSync(
        join(project, 'use.ts'),
        `import { PromptHub } from 'prompt-hub-client'\nconst prompt = await new PromptHub().get('acme/hello')\nexport const text: string = prompt.fill(${values})\n`,
      )
      const tsc = join(process.cwd(), 'node_modules/typescript/bin/tsc')
      const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2022', 'use.ts', 'prompts.d.ts']
      return run('node', [tsc, ...options, '--ignoreConfig'], { cwd: project }).then(
        () => 'compiles',
        (error: { stdout: string }) => error.stdout,
      )
    }
    expect(await check(`{ name: 'Ann' }`)).toBe('compiles')
    expect(await check('{}')).toMatch(/'name' is missing/)
    expect(await check(`{ name: 'Ann', nmae: 'x' }`)).toMatch(/nmae/)
  })

  test('Python: installs without an index and writes the same lock file as other clients', async () => {
    const project = mkdtempSync(join(folder, 'python-'))
    const wheel = join(folder, 'prompt_hub_client-1.2.1-py3-none-any.whl')
    const install = ['install', '--quiet', '--no-index', '--disable-pip-version-check', '--target', 'site', wheel]
    // Debian's python3 may lack pip, but Python can also run a wheel directly.
    if (HAS_PIP) await run('python3', ['-m', 'pip', ...install], { cwd: project })
    const environment = { ...process.env, PYTHONPATH: HAS_PIP ? join(project, 'site') : wheel }
    const python = (...parameters: string[]) => run('python3', parameters, { cwd: project, env: environment })
    const program = "import prompt_hub; print(prompt_hub.PromptHub().get('acme/hello@1.1.0').fill(name='Ann'), end='')"
    expect((await python('-c', program)).stdout).toBe('Hello Ann, ')
    expect((await python('-m', 'prompt_hub', 'add', 'acme/hello@^1')).stdout).toBe('acme/hello 1.1.0\n')
    expect((await python('-m', 'prompt_hub', 'verify')).stdout).toBe('1 verified\n')
    expect(readFileSync(join(project, 'prompts/acme/hello.md'), 'utf8')).toBe(CONTENTS['1.1.0'])
    const locked = readFileSync(join(project, 'prompts.lock'), 'utf8')
    const environmentOfHub = { ...process.env, HUB_URL: hub.url }
    // `run` throws an error if the command fails.
    await run('sh', [join(process.cwd(), 'clients/hubcli/hubcli'), 'verify'], { cwd: project, env: environmentOfHub })
    await addToLock(join(project, 'prompts.lock'), { name: 'acme/hello@^1' })
    expect(readFileSync(join(project, 'prompts.lock'), 'utf8')).toBe(locked)
  })

  test('Python: the client’s own test suite passes', async () => {
    const { stderr } = await run('python3', ['tests/clients/python_client.py'], {
      env: { ...process.env, PYTHONPATH: 'clients/python', PYTHONDONTWRITEBYTECODE: '1' },
    })
    expect(stderr).toMatch(/Ran 11 tests[\s\S]*OK/)
  })
})
