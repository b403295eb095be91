// Tests that a hub serves another hub's owners beside its own: two real hubs, each of which is the other's upstream, and
// a private hub in front of one of them.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CLIENTS, runClient } from '../clients/three-clients.ts'
import { type Machine, type Machines, openMachines } from '../hubs/machines.ts'
import { type MembersHub, openMembersHub } from '../hubs/members-hub.ts'
import { freePort, type Run } from '../hubs/processes.ts'
import { type LocalRepository, makeRepository } from '../stores/local-repository.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { words } from '../words.ts'

const versionFile = (text: string) =>
  `---\npublished_at: "2026-11-20T10:00:00Z"\npublished_by: octocat\nchangelog: Made\n---\n${text}`
const promptFile = (more = '') =>
  `---\ntitle: Letters\ndescription: Write letters.\ntags: [letters]\nlicense: MIT\n${more}---\n`
const SKILL = `---\npublished_at: "2026-11-20T10:00:00Z"\npublished_by: octocat\nchangelog: Made\nskill:\n  description: Fill forms.\n---\nFill the form with \`scripts/fill.py\`.\n`

/** A bundle; a build compares only its digest. */
const BUNDLE = '{"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json"}'
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const WORKFLOW = 'octo/prompts/.github/workflows/publish.yml@refs/heads/main'
const FACTS = {
  ...{ sha256: sha256(BUNDLE), size_bytes: BUNDLE.length, predicate_type: 'https://slsa.dev/provenance/v1' },
  ...{ issuer: 'https://token.actions.githubusercontent.com', repository: 'octo/prompts', workflow: WORKFLOW },
  ...{ identity: `https://github.com/${WORKFLOW}`, ref: 'refs/heads/main', sha: 'a'.repeat(40) },
  run_url: 'https://github.com/octo/prompts/actions/runs/1/attempts/1',
}

const OF_A = {
  'content/rivers/letters/index.md': promptFile('labels:\n  production: 1.0.0\n'),
  'content/rivers/letters/versions/1.0.0.md': versionFile('Write to {{who}}.\r\nÄ first one.\n'),
  'content/rivers/letters/versions/1.1.0.md': versionFile('Write a second letter.\n').replace(
    '---\n',
    `---\nattestations: [${JSON.stringify(FACTS)}]\n`,
  ),
  'content/rivers/letters/attestations/1.1.0/1.sigstore.json': BUNDLE,
  'content/rivers/letters/results/1.1.0/quality.yml': `content_sha256: ${sha256('Write a second letter.\n')}\npassed: 1\nfailed: 0\nat: "2026-11-21T10:00:00Z"\nreported_by: octocat\n`,
  'content/rivers/forms/index.md': promptFile(),
  'content/rivers/forms/versions/1.0.0.md': SKILL,
  'content/rivers/forms/versions/1.0.0/scripts/fill.py': 'print(1)\n',
  'content/lakes/maps/index.md': promptFile(),
  'content/lakes/maps/versions/1.0.0.md': versionFile('Draw the lake.\n'),
  'content/shared/upstream-only/index.md': promptFile(),
  'content/shared/upstream-only/versions/1.0.0.md': versionFile('From upstream.\n'),
}
const OF_B = {
  'content/shared/own/index.md': promptFile(),
  'content/shared/own/versions/1.0.0.md': versionFile('Our own.\n'),
}

/** Every address that is read through, relative to a hub. */
const READ = words`
  /api/v1/repos/rivers/letters /api/v1/repos/rivers/letters/versions /api/v1/repos/rivers/letters/versions/1.0.0
  /api/v1/repos/rivers/letters/raw /api/v1/repos/rivers/letters/raw?version=1.0.0
  /api/v1/repos/rivers/letters/raw?label=production /api/v1/repos/rivers/letters/versions/1.1.0/attestations
  /api/v1/repos/rivers/letters/versions/1.1.0/attestations/1.sigstore.json
  /api/v1/repos/rivers/letters/versions/1.1.0/results /api/v1/repos/rivers/letters/versions/1.0.0/results
  /api/v1/repos/rivers/forms/versions/1.0.0/archive /api/v1/repos/rivers/forms/versions/1.0.0/files/scripts/fill.py
  /api/v1/users/rivers /rivers/forms/SKILL.md /rivers/forms/v/1.0.0/SKILL.md /rivers/forms/v/1.0.0/scripts/fill.py
  /data/v1/users/rivers.json /data/v1/repos/rivers/letters.json /data/v1/repos/rivers/letters/versions.json
  /data/v1/repos/rivers/letters/versions/1.0.0.json /data/v1/repos/rivers/letters/results/1.1.0.json
  /data/v1/repos/rivers/letters/blobs/${sha256(BUNDLE)}.bin /data/v1/repos/rivers/letters/raw.txt
  /data/v1/repos/rivers/letters/raw/1.0.0.txt /data/v1/repos/rivers/forms/skills/1.0.0.md
`

/** Addresses of an upstream's owner that stay local. */
const LOCAL = words`
  /api/v1/repos/rivers/letters/activity /api/v1/repos/rivers/letters/dependents
  /api/v1/repos/rivers/letters/raw?label=production&at=2026-11-21T10:00:00Z /api/v1/users/rivers/labels/production
  /data/v1/skills/rivers.json /data/v1/activity/rivers/letters.json /data/v1/dependents/rivers/letters.json
  /rivers/.well-known/agent-skills/index.json
`

let machines: Machines
let machineOfB: Machine
let repositories: LocalRepository[]
let a: { base: string; run: Run }
let b: { base: string; run: Run }
beforeAll(async () => {
  machines = openMachines()
  repositories = [OF_A, OF_B].map((files) => {
    const repository = makeRepository('ready')
    repository.commit(files)
    return repository
  })
  const [portA, portB] = [await freePort(), await freePort()]
  const settingsOf = (index: number, port: number, upstream: number) => ({
    CONTENT_DIR: join(repositories[index]!.folder, 'content'),
    PORT: String(port),
    UPSTREAM: `http://localhost:${upstream}`,
    RATE_LIMIT_PER_MINUTE: '0',
  })
  a = await machines.make(settingsOf(0, portA, portB)).start()
  machineOfB = machines.make(settingsOf(1, portB, portA))
  b = await machineOfB.start()
}, 300_000)
afterAll(async () => {
  await Promise.all([a?.run.end(), b?.run.end()])
  machines?.close()
})

/** What a hub answers, without the headers that differ between any two requests. */
async function read(base: string, path: string, init: RequestInit = {}) {
  const answer = await fetch(base + path, { redirect: 'manual', ...init })
  const headers = ['content-type', 'etag', 'repr-digest', 'cache-control', 'x-prompt-version', 'x-prompt-upstream']
  return {
    status: answer.status,
    headers: Object.fromEntries(headers.map((name) => [name, answer.headers.get(name)])),
    bytes: Buffer.from(await answer.arrayBuffer()).toString('base64'),
  }
}

test.each(READ)('%s is the same at both hubs', async (path) => {
  const upstream = await read(a.base, path)
  expect(upstream.status).toBe(200)
  expect(await read(b.base, path)).toEqual(upstream)
  const { bytes, ...head } = await read(b.base, path, { method: 'HEAD' })
  expect([head, bytes]).toEqual([{ status: upstream.status, headers: upstream.headers }, ''])
})

test('an archive has the digest of its record', async () => {
  const { data } = await (await fetch(`${b.base}/api/v1/repos/rivers/forms/versions/1.0.0`)).json()
  const archive = await fetch(`${b.base}/api/v1/repos/rivers/forms/versions/1.0.0/archive`)
  const bytes = Buffer.from(await archive.arrayBuffer())
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(data.bundle_sha256)
  expect((await read(b.base, `/data/v1/repos/rivers/forms/blobs/${data.bundle_sha256}.bin`)).bytes).toBe(
    bytes.toString('base64'),
  )
})

test.each(LOCAL)('%s is not read through', async (path) => {
  expect((await read(b.base, path)).status).toBe(404)
})

test('search, lists and tags have own prompts alone', async () => {
  for (const path of ['/api/v1/repos', '/api/v1/repos?q=letters']) {
    const { data } = await (await fetch(b.base + path)).json()
    expect(data.map(({ full_name }: { full_name: string }) => full_name)).toEqual(['shared/own'])
  }
})

test('an own owner hides all of the upstream’s prompts of that name', async () => {
  for (const path of ['/api/v1/repos/shared/upstream-only', '/data/v1/repos/shared/upstream-only.json'])
    expect([(await read(a.base, path)).status, (await read(b.base, path)).status]).toEqual([200, 404])
  const { data } = await (await fetch(`${b.base}/api/v1/users/shared`)).json()
  expect(data.repos.map(({ name }: { name: string }) => name)).toEqual(['own'])
})

test('what neither of two hubs has is a 404, although each is the other’s upstream', async () => {
  for (const { base } of [a, b])
    for (const path of ['/api/v1/repos/nobody/nothing', '/api/v1/users/nobody', '/data/v1/repos/nobody/nothing.json'])
      expect((await read(base, path)).status).toBe(404)
})

test('another hub’s request is not passed on, and no cache keeps its 404 for others', async () => {
  const headers = { 'X-Prompt-Upstream-Read': '1' }
  for (const path of ['/api/v1/repos/rivers/letters', '/data/v1/repos/rivers/letters.json']) {
    const answer = await read(b.base, path, { headers })
    expect([answer.status, answer.headers['cache-control']]).toEqual([404, 'no-store'])
  }
})

test('a prompt of the upstream cannot be included', async () => {
  const init = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"content":"{{include \\"rivers/letters\\"}}\\n","compose":true}',
  }
  const answer = await fetch(`${b.base}/api/v1/repos/shared/own/check`, init)
  expect([answer.status, (await answer.json()).error.message]).toEqual([
    422,
    expect.stringContaining('rivers/letters is not a prompt on this hub'),
  ])
})

test('a write to an owner of the upstream is not sent there', async () => {
  const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' }
  expect((await read(b.base, '/api/v1/repos/rivers/letters/versions', init)).status).toBe(401)
})

test('an owner that is new here hides the upstream’s from its first publish on', async () => {
  expect((await read(b.base, '/api/v1/repos/lakes/maps')).status).toBe(200)
  const headers = {
    Authorization: `Bearer ${machineOfB.makeToken('lakes')}`,
    'Content-Type': 'application/json',
  }
  const body = JSON.stringify({ content: 'Our lake.\n', changelog: 'First' })
  const published = await fetch(`${b.base}/api/v1/repos/lakes/boats/versions`, { method: 'POST', headers, body })
  expect([published.status, await published.text()]).toEqual([201, expect.anything()])
  expect((await read(b.base, '/api/v1/repos/lakes/boats')).status).toBe(200)
  expect((await read(b.base, '/api/v1/repos/lakes/maps')).status).toBe(404)
})

describe('a private hub', () => {
  let members: MembersHub
  beforeAll(async () => {
    members = await openMembersHub({ UPSTREAM: a.base })
  }, 180_000)
  afterAll(() => members?.stop())

  test('tells strangers the same about what only the upstream has', async () => {
    const ask = (path: string) => members.ask('GET', path)
    for (const [known, unknown] of [
      ['/api/v1/repos/rivers/letters', '/api/v1/repos/nobody/letters'],
      ['/data/v1/repos/rivers/letters.json', '/data/v1/repos/nobody/letters.json'],
      ['/rivers/forms/SKILL.md', '/nobody/forms/SKILL.md'],
    ] as const) {
      const [one, other] = [await ask(known), await ask(unknown)]
      expect([one.status, one.bytes.toString()]).toEqual([401, other.bytes.toString()])
    }
  })

  test('serves readers, and lets no shared cache keep it', async () => {
    const reader = members.readers['a token with read']!
    const answer = await members.ask('GET', '/api/v1/repos/rivers/letters/raw?version=1.0.0', reader)
    expect([answer.status, answer.bytes.toString()]).toEqual([200, 'Write to {{who}}.\r\nÄ first one.\n'])
    expect(answer.headers['cache-control']).toMatch(/^private/)
  })

  test.each(CLIENTS)('$name locks and installs from it, and the lock names it alone', async ({ command }) => {
    const dir = temporaryFolder('hub-upstream-client-')
    const url = `http://127.0.0.1:${members.port}`
    const token = members.readers['a token with read']!.headers.Authorization!.replace('Bearer ', '')
    for (const args of [['add', 'rivers/letters'], ['add', 'zephyrine/quokka-brief'], ['install'], ['verify']]) {
      const ran = await runClient(['env', `HUB_TOKEN=${token}`, ...command], args, dir, url)
      expect([args, ran.code, ran.stderr]).toEqual([args, 0, expect.anything()])
    }
    const lock = readFileSync(join(dir, 'prompts.lock'), 'utf8')
    expect([lock.includes(url), lock.includes(a.base), lock.includes('rivers/letters')]).toEqual([true, false, true])
  })
})

test('when the upstream is gone, what was read is served, and everything else is a 503', async () => {
  await read(b.base, '/api/v1/repos/rivers/letters/versions/1.0.0')
  await a.run.end()
  const kept = await read(b.base, '/api/v1/repos/rivers/letters/raw?version=1.0.0')
  expect([kept.status, Buffer.from(kept.bytes, 'base64').toString()]).toEqual([
    200,
    'Write to {{who}}.\r\nÄ first one.\n',
  ])
  const answer = await fetch(`${b.base}/api/v1/repos/rivers/never-read`)
  expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '10'])
  expect((await answer.json()).error.code).toBe('unavailable')
  expect((await read(b.base, '/api/v1/repos/shared/own')).status).toBe(200)

  await b.run.end()
  const cache = join(machineOfB.folder, '.hub/upstream')
  const twoMinutesAgo = Date.now() / 1000 - 120
  for (const file of readdirSync(cache, { recursive: true })) utimesSync(join(cache, String(file)), 0, twoMinutesAgo)
  b = await machineOfB.start()
  const [record, version] = [
    await read(b.base, '/api/v1/repos/rivers/letters'),
    await read(b.base, '/api/v1/repos/rivers/letters/versions/1.0.0'),
  ]
  expect([record.status, record.headers['x-prompt-upstream']]).toEqual([200, 'stale'])
  expect([version.status, version.headers['x-prompt-upstream']]).toEqual([200, null])
})
