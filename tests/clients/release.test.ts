// Checks the releases of the clients: they never change, and the packages from a hub can be installed in empty projects
// and used.
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { listClientDownloads } from '../../src/build/downloads/libraries.ts'
import { readClientsReleases } from '../../src/build/downloads/releases.ts'
import { listDownloads } from '../../src/build/list-downloads.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { type FaultHub, openFaultHub } from './fault-hub.ts'

const run = promisify(execFile)
const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest('hex')
let hub: FaultHub
let folder: string
let releases: Awaited<ReturnType<typeof readClientsReleases>>
beforeAll(async () => {
  hub = await openFaultHub()
  releases = await readClientsReleases('.')
  folder = temporaryFolder('prompt-hub-release-')
  for (const [path, content] of listClientDownloads(releases, hub.url))
    writeFileSync(join(folder, path.slice(path.lastIndexOf('/') + 1)), content)
})
afterAll(() => hub.stop())

test('the clients have the digests in clients/digests.txt, or `npm run release:clients` renews them', async () => {
  // Ahead of UTC by half an hour more than whole hours.
  vi.stubEnv('TZ', 'Asia/Kolkata')
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(new Date(1980, 0, 2).getUTCHours()).not.toBe(0)
  const files = (await listDownloads('.', 'http://localhost:8888')).filter(([path]) => path.includes('/releases/'))
  const packages = files.filter(([path]) => !path.endsWith('.sha256'))
  expect(packages.map(([path, content]) => `${sha256(content)}  ${path}\n`).join('')).toBe(
    readFileSync('clients/digests.txt', 'utf8'),
  )
  const sums = packages.map(([path, content]) => [
    `${path}.sha256`,
    `${sha256(content)}  ${path.slice(path.lastIndexOf('/') + 1)}\n`,
  ])
  expect(files.filter(([path]) => path.endsWith('.sha256'))).toEqual(sums)
})

describe('npm version', () => {
  const place = temporaryFolder('prompt-hub-version-')
  const at = (path: string) => join(place, path)
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: place, encoding: 'utf8' })
  const npm = (...args: string[]) =>
    spawnSync('npm', args, {
      cwd: place,
      encoding: 'utf8',
      env: { ...process.env, ...who('AUTHOR'), ...who('COMMITTER') },
    })
  const who = (role: string) => ({ [`GIT_${role}_NAME`]: 'a', [`GIT_${role}_EMAIL`]: 'a@b' })
  const edit = (path: string, change: (text: string) => string) =>
    writeFileSync(at(path), change(readFileSync(at(path), 'utf8')))

  test('archives the clients and creates the tag; a released number never changes', async () => {
    for (const path of ['clients', 'releases', 'packages', 'scripts', 'src', 'package.json', 'package-lock.json'])
      cpSync(path, at(path), { recursive: true })
    symlinkSync(resolve('node_modules'), at('node_modules'))
    writeFileSync(at('.gitignore'), 'node_modules\n.clients\n')
    git('init', '--quiet', '--initial-branch=main')
    git('add', '.')
    git('commit', '--quiet', '--message=One')
    expect(npm('version', '1.0.0', '--allow-same-version')).toMatchObject({ status: 0 })
    expect(git('tag')).toBe('v1.0.0\n')
    expect(git('status', '--porcelain')).toBe('')
    expect(readdirSync(at('releases')).sort()).toEqual(['README.md', 'hubcli-1.0.0.tgz', 'libraries-1.0.0.tgz'])

    const before = new Map(await listDownloads(place, 'https://hub.example'))
    edit('clients/hubcli/hubcli', (text) => text.replace('# Prints a message', '# ---- Changed'))
    expect(npm('run', '--silent', 'release:clients')).toMatchObject({
      status: 1,
      stderr: 'hubcli 1.0.0 is released and never changes. Give it a new number.\n',
    })
    edit('clients/hubcli/hubcli', (text) => text.replace("HUBCLI_VERSION='1.0.0'", "HUBCLI_VERSION='1.0.1'"))
    const after = new Map(await listDownloads(place, 'https://hub.example'))
    for (const [path, content] of before) if (path !== '/cli/hubcli') expect(after.get(path), path).toEqual(content)
    expect([...after.keys()].filter((path) => !before.has(path))).toEqual([
      '/cli/releases/1.0.1/hubcli',
      '/cli/releases/1.0.1/hubcli.sha256',
    ])
    expect(after.get('/cli/hubcli')).toBe(after.get('/cli/releases/1.0.1/hubcli'))
  })
})

test.each(["http://x.example/'", 'ftp://x.example', 'http://x.example/"', 'http://x.example/\\'])(
  'rejects the hub URL %s',
  (address) => {
    expect(() => listClientDownloads(releases, address)).toThrow(/expected an http/)
  },
)

describe('installed into an empty project', () => {
  test('npm: defaults to the hub it came from, the command works, and values are type-checked', async () => {
    const project = mkdtempSync(join(folder, 'npm-'))
    writeFileSync(join(project, 'package.json'), '{"type":"module"}')
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, 'prompt-hub-client-1.0.0.tgz')], {
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
    expect((await run(command, ['add', 'acme/hello@^1'], { cwd: project })).stdout).toBe(
      'acme/hello 1.1.0 prompts/acme/hello.md\n',
    )
    expect((await run(command, ['verify'], { cwd: project })).stdout).toBe('')
    await run(command, ['types'], { cwd: project })
    // One run of the compiler for all programs, each with its own file. The values, what is asked for, and what the compiler says:
    const programs = [
      [`{ name: 'Ann' }`, 'acme/hello', undefined],
      ['{}', 'acme/hello', /'name' is missing/],
      ['{}', 'acme/hello@^1', /'name' is missing/],
      [`{ name: 'Ann' }`, 'acme/hello@production', undefined],
      [`{ name: 'Ann', nmae: 'x' }`, 'acme/hello', /nmae/],
    ] as const
    const files = programs.map(([values, wish], at) => {
      const text = `import { PromptHub } from 'prompt-hub-client'\nconst prompt = await new PromptHub().get('${wish}')\nexport const text: string = prompt.fill(${values})\n`
      writeFileSync(join(project, `use-${at}.ts`), text)
      return `use-${at}.ts`
    })
    const tsc = join(process.cwd(), 'tests/node_modules/typescript-7/bin/tsc')
    const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2022', '--ignoreConfig']
    const compiling = run('node', [tsc, ...options, ...files, 'prompts.d.ts'], { cwd: project })
    const { stdout } = await compiling.catch((error: { stdout: string }) => error)
    const said = stdout.split(/^(?=\S)/m)
    for (const [at, [, , problem]] of programs.entries()) {
      const about = said.filter((lines) => lines.startsWith(files[at]!)).join('')
      if (problem === undefined) expect(about).toBe('')
      else expect(about).toMatch(problem)
    }
  })

  test('Python: the client’s own test suite passes', async () => {
    const { stderr } = await run('python3', ['tests/clients/python_client.py'], {
      env: { ...process.env, PYTHONPATH: 'clients/python', FAULT_HUB: hub.url },
    })
    expect(stderr).toMatch(/Ran 13 tests[\s\S]*OK/)
  })
})
