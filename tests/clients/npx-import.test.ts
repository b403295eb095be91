// Imports prompts with the command of the npm package, through the API of a real hub in this process: from files, and from
// a server that answers like Langfuse.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findKnown } from '../../clients/typescript/source/commands/import.ts'
import { listDownloads } from '../../src/build/list-downloads.ts'
import { type Hub, openHub, serveHub } from '../hubs/publishing.ts'
import { openLocalWorld } from '../hubs/worlds.ts'
import { listen } from '../listen.ts'
import { runScript } from '../loaded.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { writeFiles } from '../write-files.ts'
import { environment, NPX, runWith } from './both-clients.ts'

const { command } = NPX
let hub: Hub
let url: string
let close: () => Promise<void>
beforeAll(async () => {
  hub = await openHub(openLocalWorld())
  ;({ url, close } = await serveHub(hub))
})
afterAll(() => close?.())

const KEYS = { LANGFUSE_PUBLIC_KEY: 'pk-lf-1', LANGFUSE_SECRET_KEY: 'sk-lf-1' }
const run = (cwd: string, args: string[], more: NodeJS.ProcessEnv = {}, program = command) =>
  runWith(program, args, cwd, { ...environment(url), HUB_TOKEN: hub.token, ...KEYS, ...more })
const record = async (name: string) => (await hub.read(`/api/v1/repos/acme/${name}`)).data

const FILES = {
  'in/review.prompt':
    '---\nmodel: googleai/gemini-2.5-flash\nconfig:\n  temperature: 0.2\n---\nReview this {{language}} code.',
  'in/talk.prompt.yml':
    'name: Talk\nmessages:\n  - role: system\n    content: Be {{mood}}.\n  - role: user\n    content: Go.\n',
  'in/list.csv': 'act,prompt\nPoet,Write a poem about {{subject}}.\nChef,Cook.\n',
  'in/pdf/SKILL.md': '---\nname: pdf\ndescription: Fills in forms.\n---\nRun scripts/a.py.\n',
  'in/pdf/scripts/a.py': 'print(1)\n',
  'in/broken.json': '{"prompt": ',
}

test('import publishes the prompts of files and folders, and again only what has changed', async () => {
  const folder = temporaryFolder('prompt-hub-npx-import-')
  writeFiles(folder, FILES)
  const args = ['import', 'in', '--owner', 'acme', '--license', 'MIT']
  const dry = await run(folder, [...args, '--dry-run'], { HUB_TOKEN: '' })
  expect(dry).toMatchObject({ code: 4, stdout: expect.stringMatching(/Would publish 5 new[\s\S]*Refused {3}1\n/) })
  expect((await hub.read('/api/v1/repos/acme/review')).status).toBe(404)
  const first = await run(folder, [...args, '--json'])
  expect(first.code).toBe(4)
  const lines: Record<string, unknown>[] = JSON.parse(first.stdout)
  expect(lines.map(({ name, status, version }) => [name, status, version]).sort()).toEqual([
    [null, 'refused', null],
    ['chef', 'new', '1.0.0'],
    ['pdf', 'new', '1.0.0'],
    ['poet', 'new', '1.0.0'],
    ['review', 'new', '1.0.0'],
    ['talk', 'new', '1.0.0'],
  ])
  expect(await record('review')).toMatchObject({
    content: 'Review this {{language}} code.',
    parameters: { temperature: 0.2 },
    license: 'MIT',
  })
  expect(await record('talk')).toMatchObject({ format: 'chat', variables: [{ name: 'mood' }] })
  expect(await record('pdf')).toMatchObject({ skill: {}, files: [{ path: 'scripts/a.py' }] })
  rmSync(join(folder, 'in/broken.json'))
  writeFileSync(join(folder, 'in/review.prompt'), FILES['in/review.prompt'].replace('code', 'diff'))
  const second = await run(folder, args)
  expect(second).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/0 new, 1 with a new version, 0 with other details\nUnchanged 4\n/),
  })
  expect(await record('review')).toMatchObject({ latest_version: '1.0.1' })
  // What was published on the hub since then stays the latest version.
  await hub.publish({ content: 'Edited on the hub {{language}}.' }, { to: 'acme/review' })
  expect((await run(folder, args)).stdout).toMatch(
    /lost {5}version: 1\.0\.1 is on the hub, and newer ones are above it/,
  )
  expect(await record('review')).toMatchObject({ latest_version: '1.0.2' })
  for (const [words, message] of [
    [['import', 'in'], /Missing required option: --owner/],
    [['import', 'in', '--owner', 'acme', '--from', 'nonsense'], /--from: expected one of dotprompt/],
    [['import', 'none', '--owner', 'acme'], /none/],
    [['import', 'in', 'https://cloud.langfuse.com', '--owner', 'acme'], /expected one URL beside --from langfuse/],
  ] as const)
    expect(await run(folder, [...words])).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(message) })
})

interface Stored {
  name: string
  version: number
  prompt: string | object[]
  labels?: string[]
  config?: object
}

/** Serves prompts as Langfuse's public API does, two on a page. The first request for a version is refused once. */
async function serveLangfuse(stored: readonly Stored[]) {
  const asked: string[] = []
  let isBusy = true
  const server = createServer((request, response) => {
    asked.push(request.url!)
    const at = new URL(request.url!, 'http://x')
    const answer = (status: number, body: unknown, headers = {}) => {
      response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
      response.end(JSON.stringify(body))
    }
    const expected = `Basic ${Buffer.from('pk-lf-1:sk-lf-1').toString('base64')}`
    if (request.headers.authorization !== expected) return answer(401, {})
    const names = [...new Set(stored.map(({ name }) => name))]
    const name = decodeURIComponent(at.pathname.split('/prompts/')[1] ?? '')
    if (name === '') {
      const page = Number(at.searchParams.get('page'))
      const data = names.slice(2 * page - 2, 2 * page).map((name) => ({
        name,
        versions: stored.filter((one) => one.name === name).map((one) => one.version),
        labels: [],
        tags: [],
      }))
      return answer(200, {
        data,
        meta: { page, limit: 2, totalItems: names.length, totalPages: Math.ceil(names.length / 2) },
      })
    }
    if (isBusy) {
      isBusy = false
      return answer(429, {}, { 'Retry-After': '0' })
    }
    const found = stored.find((one) => one.name === name && one.version === Number(at.searchParams.get('version')))
    if (!found) return answer(404, {})
    answer(200, {
      type: typeof found.prompt === 'string' ? 'text' : 'chat',
      config: {},
      tags: [],
      labels: [],
      ...found,
    })
  })
  return {
    asked,
    url: await listen(server),
    close: () => new Promise((done) => server.close(done)),
  }
}

test('import --from langfuse brings every version in order, with labels where the token may', async () => {
  const folder = temporaryFolder('prompt-hub-langfuse-')
  const stored: Stored[] = [
    { name: 'Support/Greeting', version: 1, prompt: 'Hi {{name}}.' },
    {
      name: 'Support/Greeting',
      version: 2,
      prompt: 'Hello {{name}}, {{extra}}.',
      labels: ['production'],
      config: { temperature: 0.3 },
    },
    { name: 'Support/Greeting', version: 3, prompt: 'Hello {{name}}.', labels: ['latest'] },
    { name: 'rules', version: 1, prompt: 'Be brief.', labels: ['production'] },
    { name: 'whole', version: 1, prompt: '@@@langfusePrompt:name=rules|version=1@@@\nAnswer {{question}}.' },
    {
      name: 'chat',
      version: 1,
      prompt: [
        { role: 'system', content: 'Be {{mood}}.' },
        { role: 'user', content: 'Go.' },
      ],
    },
    {
      name: 'chat',
      version: 2,
      prompt: [
        { role: 'system', content: 'Be very {{mood}}.' },
        { role: 'user', content: 'Go.' },
      ],
    },
  ]
  const langfuse = await serveLangfuse(stored)
  const args = ['import', langfuse.url, '--from', 'langfuse', '--owner', 'acme']
  const versionsOf = async (name: string) =>
    (JSON.parse((await hub.read(`/api/v1/repos/acme/${name}/versions`)).text).data as { version: string }[]).map(
      ({ version }) => version,
    )
  try {
    const mayLabel = { HUB_TOKEN: await hub.makeToken({ permissions: ['publish', 'label'] }) }
    const first = await run(folder, args, mayLabel)
    expect(first).toMatchObject({ code: 0, stdout: expect.stringMatching(/Published 4 new/), stderr: '' })
    expect(langfuse.asked.filter((path) => path.includes('page=')).length).toBe(2)
    expect(await versionsOf('support-greeting')).toEqual(['1.2.0', '1.1.0', '1.0.0'])
    expect(await record('support-greeting')).toMatchObject({
      content: 'Hello {{name}}.',
      parameters: {},
      labels: { production: { version: '1.1.0', split: null } },
    })
    expect((await hub.read('/api/v1/repos/acme/support-greeting/versions/1.1.0')).data).toMatchObject({
      parameters: { temperature: 0.3 },
    })
    expect(await record('whole')).toMatchObject({
      content: 'Be brief.\nAnswer {{question}}.',
      includes: [{ repository: 'acme/rules', version: '1.0.0' }],
    })
    expect(await record('chat')).toMatchObject({ format: 'chat', latest_version: '1.1.0' })
    const again = await run(folder, args, mayLabel)
    expect(again).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/0 new, 0 with a new version, 0 with other details\nUnchanged 4\n/),
    })
    stored.push({ name: 'rules', version: 2, prompt: 'Be kind.', labels: ['staging'] })
    // This token may publish alone.
    const third = await run(folder, args)
    expect(third).toMatchObject({ code: 0, stdout: expect.stringMatching(/1 with a new version[\s\S]*Unchanged 3/) })
    expect(third.stdout).toMatch(/lost {5}labels: production, staging: /)
    expect(await versionsOf('rules')).toEqual(['1.0.1', '1.0.0'])
    const refused = await run(folder, args, { LANGFUSE_SECRET_KEY: 'wrong' })
    expect(refused).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/does not accept the keys in LANGFUSE_PUBLIC_KEY/),
    })
    expect(await run(folder, args, { LANGFUSE_SECRET_KEY: '' })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/set LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY/),
    })
    expect(refused.stderr + third.stdout + first.stdout).not.toContain('sk-lf-1')
  } finally {
    await langfuse.close()
  }
})

test('versions of the source that the hub has are found again, in order', () => {
  const rows = ['a', 'b', 'c'].map((sha256, index) => ({ version: `1.${index}.0`, content_sha256: sha256 }))
  const find = (...all: (string | undefined)[]) =>
    findKnown(
      all.map((sha256) => ({ sha256 })),
      rows,
    )
  expect(find('a', 'b', 'c')).toEqual(['1.0.0', '1.1.0', '1.2.0'])
  expect(find('a', 'a', 'b', 'd')).toEqual(['1.0.0', '1.0.0', '1.1.0', undefined])
  expect(find('c')).toEqual(['1.2.0'])
  expect(find('x', 'y')).toEqual([undefined, undefined])
  expect(find(undefined, 'b')).toEqual(['1.0.0', '1.1.0'])
})

test('the package prompt-hub imports without anything installed, and that of the library says where it is', async () => {
  const folder = temporaryFolder('prompt-hub-package-')
  writeFiles(folder, FILES)
  for (const [path, content] of await listDownloads('.', url)) {
    if (!/^\/clients\/.*\.tgz$/.test(path)) continue
    const place = join(folder, 'node_modules', path.includes('client-') ? 'prompt-hub-client' : 'prompt-hub')
    mkdirSync(place, { recursive: true })
    writeFileSync(join(folder, 'package.tgz'), content)
    execFileSync('tar', ['-xzf', join(folder, 'package.tgz'), '-C', place, '--strip-components=1'])
  }
  const from = (name: string) => [process.execPath, join(folder, 'node_modules', name, 'dist/command.js')]
  const args = ['import', 'in', '--owner', 'packed', '--dry-run']
  expect(await run(folder, args, {}, from('prompt-hub'))).toMatchObject({
    code: 4,
    stdout: expect.stringMatching(/Would publish 5 new/),
  })
  expect(await run(folder, args, {}, from('prompt-hub-client'))).toMatchObject({
    code: 1,
    stderr: `prompt-hub: import is in the npm package prompt-hub, not in the library: npx ${url}/clients/prompt-hub.tgz import …\n`,
  })
  expect(await run(folder, ['help'], {}, from('prompt-hub'))).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('prompt-hub import'),
  })
})

test('what users type are names of npm packages: the command is prompt-hub, the library prompt-hub-client', async () => {
  const folder = temporaryFolder('prompt-hub-packed-')
  expect(await runScript('scripts/releases/release-clients.ts', ['--packages', folder])).toMatchObject({ code: 0 })
  const aboutOf = (file: string) =>
    JSON.parse(execFileSync('tar', ['-xzOf', join(folder, file), 'package/package.json'], { encoding: 'utf8' }))
  const names = readdirSync(folder).sort()
  expect(names).toEqual([expect.stringMatching(/^prompt-hub-\d/), expect.stringMatching(/^prompt-hub-client-\d/)])
  const [command, library] = names.map(aboutOf)
  expect(command).toMatchObject({ name: 'prompt-hub', bin: { 'prompt-hub': 'dist/command.js' } })
  expect(library).toMatchObject({ name: 'prompt-hub-client', exports: { '.': {} } })
  for (const about of [command, library]) expect(about).not.toHaveProperty('dependencies')
})
