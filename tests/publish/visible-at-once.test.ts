// Checks that what a write has answered is visible at every address: on the hub that answered, with lists, tags and
// search; and on another hub with the same state, whatever its build, at every address of the prompt or owner. Then, that
// what is taken down in git is gone from all of them, also after a restart. tests/publish/takedown.test.ts has a build of
// a shallow clone.
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openLocalKeys } from '../../src/account/local-keys.ts'
import { writeData } from '../../src/build/write-data.ts'
import { readConfig } from '../../src/config.ts'
import { openLocalGit } from '../../src/git/git-store-local.ts'
import { openOrderClock } from '../../src/state/fresh-copies.ts'
import { shareCopies } from '../../src/state/shared-copies.ts'
import { poll } from '../e2e/client.ts'
import { type Machine, type Machines, openMachines } from '../hubs/machines.ts'
import { BASE_URL } from '../hubs/make-hub.ts'
import { memoryState } from '../hubs/memory-state.ts'
import { freePort, isServingFiles, type Run } from '../hubs/processes.ts'
import { type Hub, openHub } from '../hubs/publishing.ts'
import { serveSite } from '../hubs/serve-site.ts'
import { openLocalWorld } from '../hubs/worlds.ts'
import { type LocalRepository, makeRepository } from '../stores/local-repository.ts'
import { temporaryFolder } from '../temporary-folder.ts'

/** How long a write waits for its build. On a machine with much other work, a build may take longer. */
const MAX_WAIT_MS = 2_000
const WITHIN = 60_000
/** How often writes meet a build, and the time that a build takes. */
const [ROUNDS, STEP_MS] = [2, 300]

/** Until a build has read the commit, a change in the activity has the time at which the hub showed it, which may be in the next second. */
const withoutTimes = (path: string, bytes: Buffer) => {
  const text = bytes.toString('latin1')
  return path.startsWith('data/v1/activity/') ? text.replaceAll(/"at":"[^"]*"/g, '"at":""') : text
}

/** What an address must say: a text that it contains, or lacks if it begins with `!`; `=404` and the like are its status. */
type Said = string

/**
 * Where an address shows a write at once: on every hub that shares the state (`copy`); on the hub that answered, and on
 * others once they render the page again (`page`); on the hub that answered, because it waits for its build (`build`).
 */
type When = 'copy' | 'page' | 'build'

/** A write, and what its addresses say afterwards. */
interface Write {
  title: string
  method: string
  path: string
  body: object
  /** By address. `mcp METHOD {JSON}` is a request to /mcp. What reads the same copy is read after the first writes only. */
  reads: Readonly<Partial<Record<When, Readonly<Record<string, Said>>>>>
}

const R = '/api/v1/repos/acme'
const D = '/data/v1/repos/acme'
const SCRIPT = 'echo narwhal\n'

const tool = (name: string, given: object) => `mcp tools/call ${JSON.stringify({ name, arguments: given })}`
const GREET = { owner: 'acme', name: 'greet' }
const label = { version: '1.1.0' }

/** The files of the first commit. */
const CONTENT = {
  'content/acme/index.md': '---\nname: Acme\n---\n',
  'content/acme/greet/index.md': '---\ntitle: Greet\ntags: [old-tag]\n---\n',
  'content/acme/greet/versions/1.0.0.md':
    '---\npublished_at: "2026-11-20T10:00:00Z"\npublished_by: acme\n---\nHello {{name}}\n',
}

/** The writes, in their order: each begins where the one before ended. */
const WRITES: readonly Write[] = [
  {
    title: 'a new version with metadata',
    method: 'POST',
    path: `${R}/greet/versions`,
    body: {
      content: 'A zebrafish greets {{person}}\n',
      changelog: 'Changedwords',
      bump: 'minor',
      title: 'Titleword',
      tags: ['new-tag'],
      description: 'Describedword',
    },
    reads: {
      copy: {
        [`${R}/greet`]: 'zebrafish',
        [`${R}/greet/versions`]: 'Changedwords',
        [`${R}/greet/versions/1.1.0`]: 'zebrafish',
        [`${R}/greet/raw`]: 'zebrafish',
        [`${R}/greet/raw?version=1.1.0`]: 'zebrafish',
        [`${R}/greet/activity`]: '"version":"1.1.0"',
        [`${R}/greet/versions/1.1.0/export/markdown`]: 'Describedword',
        [tool('get_prompt', GREET)]: 'zebrafish',
        [tool('list_versions', GREET)]: 'Changedwords',
        'mcp resources/read {"uri":"hub://prompts/acme/greet"}': 'zebrafish',
        'mcp resources/read {"uri":"hub://prompts/acme/greet/versions/1.1.0"}': 'zebrafish',
        'mcp prompts/get {"name":"acme__greet","arguments":{"person":"Ada"}}': 'zebrafish',
      },
      page: {
        '/acme/greet': 'zebrafish',
        '/acme/greet/v/1.1.0': 'zebrafish',
        '/acme/greet/versions': 'Changedwords',
        '/acme/greet/compare/1.0.0...1.1.0': 'zebrafish',
        '/acme/greet/feed.xml': 'Changedwords',
        '/acme/feed.xml': 'Changedwords',
        '/badges/acme/greet.svg': '1.1.0',
      },
      build: {
        '/api/v1/repos': 'Titleword',
        '/api/v1/repos?q=zebrafish': 'Titleword',
        '/api/v1/repos?tag=new-tag': 'Titleword',
        '/api/v1/tags': 'new-tag',
        '/api/v1/users/acme': 'Titleword',
        '/data/v1/index.json': 'Titleword',
        '/data/v1/lists/recent.json': 'Titleword',
        '/': 'Titleword',
        '/acme': 'Titleword',
        '/search?q=zebrafish': 'Titleword',
        '/tags': 'new-tag',
        '/tags/new-tag': 'Titleword',
        '/feed.xml': 'Titleword 1.1.0',
        '/tags/new-tag/feed.xml': 'Titleword 1.1.0',
        [tool('search_prompts', { q: 'zebrafish' })]: 'Titleword',
        [tool('list_tags', {})]: 'new-tag',
        'mcp resources/list {}': 'Describedword',
        'mcp prompts/list {}': 'person',
      },
    },
  },
  {
    title: 'a new skill with a file',
    method: 'POST',
    path: `${R}/helper/versions`,
    body: {
      content: 'Run scripts/a.sh\n',
      skill: { description: 'Helps with narwhals.' },
      files: [{ path: 'scripts/a.sh', text: SCRIPT }],
    },
    reads: {
      copy: {
        '/acme/helper/SKILL.md': 'narwhals',
        '/acme/helper/v/1.0.0/SKILL.md': 'narwhals',
        '/acme/helper/v/1.0.0/scripts/a.sh': 'narwhal',
        '/acme/helper/.well-known/agent-skills/index.json': 'narwhals',
        '/acme/helper/v/1.0.0/.well-known/agent-skills/index.json': 'narwhals',
        [`${R}/helper/versions/1.0.0/files/scripts/a.sh`]: 'narwhal',
        [`${R}/helper/versions/1.0.0/archive`]: '=200',
        '/api/apm/v1/packages/acme/helper/versions': '"1.0.0"',
        '/api/apm/v1/packages/acme/helper/versions/1.0.0/download': '=200',
        '/acme/helper/v/1.0.0/plugin.json': 'narwhals',
        '/acme/helper/v/1.0.0/plugin.zip': '=200',
        '/acme/helper/v/1.0.0/.claude-plugin/marketplace.json': 'plugin.zip',
        '/npm/@acme%2fhelper': '"latest":"1.0.0"',
        '/npm/@acme/helper/-/helper-1.0.0.tgz': '=200',
        'mcp skills/get {"uri":"skill://acme/helper/SKILL.md"}': 'narwhals',
        'mcp resources/read {"uri":"skill://acme/helper/scripts/a.sh"}': 'narwhal',
      },
      page: { '/acme/helper': 'narwhals' },
      build: {
        '/acme/.well-known/agent-skills/index.json': 'narwhals',
        '/.well-known/agent-skills/index.json': 'narwhals',
        '/acme/.claude-plugin/marketplace.json': '"sha256":',
        '/.claude-plugin/marketplace.json': '"sha256":',
        '/data/v1/marketplace.json': 'narwhals',
        '/data/v1/skills.json': 'narwhals',
        '/sitemap.xml': '/acme/helper<',
        '/acme': 'acme/helper',
        '/acme/feed.xml': 'Helper 1.0.0',
        'mcp completion/complete {"ref":{"type":"ref/resource","uri":"hub://prompts/{owner}/{name}"},"argument":{"name":"name","value":"help"},"context":{"arguments":{"owner":"acme"}}}':
          'helper',
      },
    },
  },
  {
    title: 'a prompt that includes another',
    method: 'POST',
    path: `${R}/whole/versions`,
    body: { content: '{{include "acme/greet"}}\nMore.\n', compose: true },
    reads: {
      copy: { [`${R}/whole/raw`]: 'zebrafish', [`${D}/whole.json`]: '"repository":"acme/greet"' },
      build: {
        [`${R}/greet/dependents`]: 'acme/whole',
        '/data/v1/dependents/acme/greet.json': 'acme/whole',
        '/acme/greet/dependents': 'acme/whole',
      },
    },
  },
  {
    title: 'a fork',
    method: 'POST',
    path: `${R}/forked/versions`,
    body: { content: 'Hello, {{name}}!\n', forked_from: 'acme/greet@1.0.0' },
    reads: {
      copy: { [`${D}/forked.json`]: '"forked_from":"acme/greet@1.0.0"' },
      build: { '/data/v1/forks/acme/greet.json': 'acme/forked', '/acme/greet/forks': 'acme/forked' },
    },
  },
  {
    title: 'a label',
    method: 'PUT',
    path: `${R}/greet/labels/production`,
    body: label,
    reads: {
      copy: {
        [`${R}/greet`]: '"production":{"version":"1.1.0","split":null}',
        [`${R}/greet/raw?label=production`]: 'zebrafish',
        [`${R}/greet/activity`]: '"type":"labelled"',
        '/api/v1/users/acme/labels/production': '"version":"1.1.0"',
        [tool('get_prompt', { ...GREET, label: 'production' })]: 'zebrafish',
      },
      page: { '/acme/greet': 'production', '/acme/greet/feed.xml': 'Set label production to 1.1.0' },
    },
  },
  {
    title: 'a label that moves',
    method: 'PUT',
    path: `${R}/greet/labels/production`,
    body: { version: '1.0.0' },
    reads: {
      copy: {
        [`${R}/greet/raw?label=production`]: 'Hello',
        '/api/v1/users/acme/labels/production': '"version":"1.0.0"',
      },
    },
  },
  {
    title: 'a label that is removed',
    method: 'DELETE',
    path: `${R}/greet/labels/production`,
    body: {},
    reads: {
      copy: {
        [`${R}/greet/raw?label=production`]: '=404',
        '/api/v1/users/acme/labels/production': '"total":0',
        '/data/v1/users/acme/labels/production.json': '=404',
      },
    },
  },
  {
    title: 'a result',
    method: 'PUT',
    path: `${R}/greet/versions/1.1.0/results/smoke`,
    body: { passed: 41, failed: 1 },
    reads: {
      copy: {
        [`${R}/greet/versions/1.1.0/results`]: '"passed":41',
        [`${R}/greet`]: '"passed":41',
        [`${R}/greet/activity`]: '"suite":"smoke"',
      },
      page: { '/acme/greet': 'smoke', '/acme/greet/feed.xml': '41 passed', '/acme/feed.xml': '41 passed' },
    },
  },
  {
    title: 'a yank',
    method: 'PUT',
    path: `${R}/greet/versions/1.1.0/yank`,
    body: { reason: 'Wrongword' },
    reads: {
      copy: {
        [`${R}/greet`]: '"latest_version":"1.0.0"',
        [`${R}/greet/versions`]: 'Wrongword',
        [`${R}/greet/raw`]: 'Hello',
        [tool('get_prompt', { ...GREET, version: '1.1.0' })]: '"yanked":true',
        [tool('list_versions', GREET)]: 'Wrongword',
      },
      page: {
        '/acme/greet': 'Wrongword',
        '/acme/greet/v/1.1.0': 'Wrongword',
        '/acme/greet/versions': 'Wrongword',
        '/acme/greet/feed.xml': 'Wrongword',
        '/badges/acme/greet.svg': '1.0.0',
      },
      build: {
        '/api/v1/repos?q=zebrafish': '!acme/greet',
        '/data/v1/index.json': '!zebrafish',
        [tool('search_prompts', { q: 'zebrafish' })]: '!acme/greet',
      },
    },
  },
  {
    title: 'the end of a yank',
    method: 'DELETE',
    path: `${R}/greet/versions/1.1.0/yank`,
    body: {},
    reads: {
      copy: {
        [`${R}/greet`]: '"latest_version":"1.1.0"',
        [tool('get_prompt', GREET)]: 'zebrafish',
      },
      build: { '/api/v1/repos?q=zebrafish': 'acme/greet' },
    },
  },
  {
    title: 'a deprecation',
    method: 'PATCH',
    path: `${R}/greet`,
    body: { status: 'deprecated', status_message: 'Olderword' },
    reads: {
      copy: { [`${R}/greet`]: 'Olderword', [tool('get_prompt', GREET)]: 'Olderword' },
      page: { '/acme/greet': 'Olderword', '/acme/greet/feed.xml': 'Olderword' },
      build: { '/api/v1/repos': 'Olderword', '/data/v1/index.json': 'Olderword', '/api/v1/users/acme': 'Olderword' },
    },
  },
  {
    title: 'an archived prompt',
    method: 'PATCH',
    path: `${R}/greet`,
    body: { status: 'archived' },
    reads: {
      copy: { [`${R}/greet`]: '"status":"archived"' },
      page: { '/acme/greet': 'archived' },
      build: {
        '/api/v1/repos?tag=new-tag': '"total":0',
        '/api/v1/tags': '!new-tag',
        '/api/v1/users/acme': '!"acme/greet"',
        '/data/v1/index.json': '!"full_name":"acme/greet"',
        '/tags/new-tag': '=404',
        '/sitemap.xml': '!/acme/greet<',
        [tool('list_tags', {})]: '!new-tag',
      },
    },
  },
  {
    title: 'another title and readme',
    method: 'PATCH',
    path: `${R}/helper`,
    body: { title: 'Renamedword', readme: 'Readmeword' },
    reads: {
      copy: { [`${R}/helper`]: 'Readmeword' },
      page: { '/acme/helper': 'Readmeword', '/acme/helper/feed.xml': 'Renamedword' },
      build: {
        '/api/v1/repos': 'Renamedword',
        '/data/v1/index.json': 'Renamedword',
        '/api/v1/users/acme': 'Renamedword',
        '/acme': 'Renamedword',
        '/': 'Renamedword',
      },
    },
  },
  {
    title: 'an owner',
    method: 'PATCH',
    path: '/api/v1/users/acme',
    body: { name: 'Ownerword', bio: 'Bioword' },
    reads: {
      copy: { '/api/v1/users/acme': 'Ownerword', '/data/v1/users/acme.json': 'Bioword' },
      page: { '/acme': 'Ownerword', '/acme/feed.xml': 'Ownerword' },
    },
  },
]

/** A word that is only in versions that are taken down: in 1.0.1 of `acme/kept`, and in all of `acme/gone`. */
const TAKEN = 'zanzibarword'
const [SHOWN, HIDDEN] = [
  [TAKEN, `!${TAKEN}`],
  [TAKEN, '=404'],
] as const
const LISTED = ['acme/gone', '!acme/gone'] as const

/** Where these versions are shown, and what is there after they were taken down. */
const OF_TAKEN: Readonly<Record<string, readonly [before: Said, after: Said]>> = {
  [`${R}/kept`]: SHOWN,
  [`${R}/kept/versions`]: SHOWN,
  [`${R}/kept/versions/1.0.1`]: HIDDEN,
  [`${R}/kept/raw`]: SHOWN,
  [`${R}/kept/raw?version=1.0.1`]: HIDDEN,
  [`${R}/gone`]: HIDDEN,
  [`${R}/gone/versions`]: HIDDEN,
  [`${R}/gone/versions/1.0.0`]: HIDDEN,
  [`${R}/gone/raw`]: HIDDEN,
  '/acme/kept': SHOWN,
  '/acme/kept/v/1.0.1': HIDDEN,
  '/acme/kept/compare/1.0.0...1.0.1': HIDDEN,
  '/acme/kept/feed.xml': SHOWN,
  '/acme/gone': HIDDEN,
  '/acme/gone/feed.xml': HIDDEN,
  '/acme/feed.xml': SHOWN,
  '/feed.xml': SHOWN,
  '/api/v1/repos?sort=new': LISTED,
  [`/api/v1/repos?q=${TAKEN}`]: ['acme/gone', '"total":0'],
  [`/search?q=${TAKEN}`]: ['/acme/gone', '!/acme/gone'],
  '/data/v1/index.json': LISTED,
  '/data/v1/users/acme.json': LISTED,
  [tool('get_prompt', { owner: 'acme', name: 'kept' })]: SHOWN,
  [tool('get_prompt', { owner: 'acme', name: 'kept', version: '1.0.1' })]: SHOWN,
  [tool('get_prompt', { owner: 'acme', name: 'gone' })]: SHOWN,
  [tool('list_versions', { owner: 'acme', name: 'kept' })]: SHOWN,
  [tool('search_prompts', { q: TAKEN })]: ['acme/gone', '!acme/gone'],
  [`${D}/kept/versions/1.0.1.json`]: HIDDEN,
  [`${D}/kept/changes.json`]: ['"to":"1.0.1"', '!"to":"1.0.1"'],
}

/** Sends a write, as clients do again if the hub is busy. @returns its answer if it failed, and how long it took */
async function send(base: string, token: string, { method, path, body }: Write) {
  for (;;) {
    const began = performance.now()
    const answer = await fetch(base + path, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await answer.text()
    if (answer.status !== 503)
      return { failure: answer.ok ? '' : `${answer.status} ${text}`, ms: performance.now() - began }
    await sleep(500)
  }
}

/** Reads every address at the same time. @returns those that do not say what they must, with what they say */
async function findOutdated(base: string, reads: Readonly<Record<string, Said>>): Promise<string[]> {
  const found = await Promise.all(
    Object.entries(reads).map(async ([address, said]) => {
      const { status, text } = await read(base, address)
      const isAsSaid = said.startsWith('=')
        ? status === Number(said.slice(1))
        : said.startsWith('!')
          ? status === 200 && !text.includes(said.slice(1))
          : status === 200 && text.includes(said)
      return isAsSaid ? [] : [`${address}: expected ${said}, got ${status} ${text.slice(0, 300)}`]
    }),
  )
  return found.flat()
}

/** Reads an address, as clients do again if the hub is busy. */
async function read(base: string, address: string): Promise<{ status: number; text: string }> {
  const [, method, params] = /^mcp (\S+) (.*)$/.exec(address) ?? []
  const init = method !== undefined && {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: JSON.parse(params ?? '{}') }),
  }
  for (;;) {
    const answer = await (init ? fetch(`${base}/mcp`, init) : fetch(base + address))
    const text = unescaped(await answer.text(), method)
    if (answer.status !== 503 && answer.status !== 504) return { status: answer.status, text }
    await sleep(500)
  }
}

/** A result of a tool is JSON in a text as well; what counts is what it says. */
const unescaped = (text: string, method: string | undefined) =>
  method === undefined ? text : text.replaceAll('\\"', '"')

describe('the hub that answered', () => {
  let repository: LocalRepository
  let machines: Machines
  let machine: Machine
  let hub: { base: string; run: Run }
  let token: string
  let settings: { CONTENT_DIR: string; SITE_URL: string; RATE_LIMIT_PER_MINUTE: string }
  beforeAll(async () => {
    repository = makeRepository('ready', { files: CONTENT })
    settings = { CONTENT_DIR: repository.contentDir, SITE_URL: 'http://localhost', RATE_LIMIT_PER_MINUTE: '0' }
    machines = openMachines()
    machine = machines.make(settings)
    hub = await machine.start({}, isServingFiles)
    token = machine.makeToken('acme', 'publish,label,maintain')
  })
  afterAll(async () => {
    await hub?.run.end()
    machines?.close()
  })

  test.each(WRITES)('shows $title at once, everywhere', { timeout: WITHIN * 2 }, async (write) => {
    const { failure, ms } = await send(hub.base, token, write)
    expect(failure).toBe('')
    const { copy, page, build } = write.reads
    const [copied, built] = await Promise.all([
      findOutdated(hub.base, { ...copy, ...page }),
      findOutdated(hub.base, { ...build }),
    ])
    expect(copied).toEqual([])
    if (ms < MAX_WAIT_MS) expect(built).toEqual([])
    if (built.length > 0)
      await poll('the build is served', WITHIN, async () =>
        (await findOutdated(hub.base, { ...build })).length === 0 ? true : undefined,
      )
  })

  test('shows a new prompt and a changed owner in every read, while another write is being built', async () => {
    const missing: string[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const write = async (method: string, path: string, body: object) => {
        const { failure } = await send(hub.base, token, { title: '', method, path: `/api/v1/${path}`, body, reads: {} })
        expect(failure).toBe('')
      }
      const [prompt, name] = [`repos/acme/round-${round}`, `Round ${round}`]
      const before = write('POST', `repos/acme/before-${round}/versions`, { content: 'Before\n' })
      // A different pause each time, so that the writes meet the build of the first one at every step.
      await sleep((round * STEP_MS) / ROUNDS)
      await Promise.all([
        write('POST', `${prompt}/versions`, { content: 'After\n' }),
        write('PATCH', 'users/acme', { name }),
      ])
      for (const until = performance.now() + STEP_MS; performance.now() < until; await sleep(10)) {
        const [found, owner] = await Promise.all(
          [prompt, 'users/acme'].map((path) => fetch(`${hub.base}/api/v1/${path}`)),
        )
        const said = await owner!.text()
        if (!found!.ok || !said.includes(`"name":"${name}"`)) missing.push(`${round}: ${found!.status} ${said}`)
        await found!.arrayBuffer()
      }
      await before
    }
    expect(missing).toEqual([])
  })

  test('shows nothing of what is taken down, next to a prompt that cannot be read, nor after a restart', async () => {
    const text = { content: `${TAKEN}\n`, changelog: TAKEN }
    for (const [name, body] of [
      ['kept', { content: 'Plain\n' }],
      ['kept', text],
      ['gone', text],
    ] as const) {
      const write = { title: '', method: 'POST', path: `/api/v1/repos/acme/${name}/versions`, body, reads: {} }
      expect((await send(hub.base, token, write)).failure).toBe('')
    }
    const [before, after] = [0, 1].map((moment) =>
      Object.fromEntries(Object.entries(OF_TAKEN).map(([address, says]) => [address, says[moment]!])),
    )
    const outdated = (said: Record<string, Said> = {}) => findOutdated(hub.base, said)
    await expect.poll(() => outdated(before), { timeout: WITHIN, interval: 300 }).toEqual([])
    repository.commit({ 'content/acme/forked/index.md': '---\ntitel: Nothing that a hub could read\n---\n' })
    rmSync(join(settings.CONTENT_DIR, 'acme/kept/versions/1.0.1.md'))
    rmSync(join(settings.CONTENT_DIR, 'acme/gone/versions/1.0.0.md'))
    repository.write({
      'content/acme/kept/index.md': '---\nremoved: {"1.0.1": Taken down}\n---\n',
      'content/acme/gone/index.md': '---\nremoved: {"1.0.0": Taken down}\n---\n',
    })
    repository.git('add', '-A')
    repository.git('commit', '-q', '-m', 'Take down')
    await expect.poll(() => outdated(after), { timeout: WITHIN, interval: 300 }).toEqual([])
    await hub.run.end()
    hub = await machine.start({}, isServingFiles)
    expect(await outdated(after)).toEqual([])
  })
})

describe('another hub with the same state, whose build is older', () => {
  let hub: Hub
  let token: string
  let settings: { CONTENT_DIR: string; SITE_URL: string; RATE_LIMIT_PER_MINUTE: string }
  let other: Awaited<ReturnType<typeof serveSite>>
  let base: string
  beforeAll(async () => {
    const world = openLocalWorld(CONTENT)
    const state = memoryState(undefined, Date.now)
    const copies = [shareCopies(state), shareCopies(state)] as const
    hub = await openHub(world, { state, copies: copies[0] })
    await hub.build()
    settings = { CONTENT_DIR: await world.contentDir(), SITE_URL: BASE_URL, RATE_LIMIT_PER_MINUTE: '0' }
    const port = await freePort()
    base = `http://localhost:${port}`
    const stores = {
      state: { ...state, close: async () => {} },
      copies: copies[1],
      order: openOrderClock(),
      localKeys: openLocalKeys(() => {}),
      localGit: openLocalGit({ contentDir: settings.CONTENT_DIR, environment: process.env }),
      async close() {
        for (const each of copies) each.close()
      },
    }
    other = await serveSite({ settings, stores, serving: { port } })
    token = await hub.makeToken({ permissions: ['publish', 'label', 'maintain'] })
  })
  afterAll(() => other?.stop())

  test.each(WRITES)('shows $title at once, at its own addresses', async ({ method, path, body, reads }) => {
    const answer = await hub.publish(body, { method, path, token })
    expect([answer.status < 300, answer.message]).toEqual([true, ''])
    expect(await findOutdated(base, { ...reads.copy })).toEqual([])
  })

  test('serves the data files of prompts and labels as the next build writes them, byte for byte', async () => {
    const built = temporaryFolder('visible-next-')
    await writeData(readConfig(settings), { siteDir: built, indexPath: join(built, 'search.db') })
    const paths = readdirSync(built, { recursive: true, encoding: 'utf8' })
      .filter((path) => /^data\/v1\/(?:repos|activity|users\/acme\/labels)\/.*\.\w+$/.test(path))
      .sort()
    expect(paths.length).toBeGreaterThan(30)
    const different: string[] = []
    for (const path of paths) {
      const served = Buffer.from(await (await fetch(`${base}/${path}`)).arrayBuffer())
      if (withoutTimes(path, served) !== withoutTimes(path, readFileSync(join(built, path)))) different.push(path)
    }
    expect(different).toEqual([])
  })
})
