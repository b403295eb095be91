// Tests against a running hub what commits by hand do to published versions: what a version first was on the branch is
// served, whatever somebody commits, edits, deletes or moves later, and the hub says so.
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { poll } from '../e2e/client.ts'
import { type Machine, type Machines, openMachines } from '../hubs/machines.ts'
import type { Run } from '../hubs/processes.ts'
import { type LocalRepository, makeRepository } from '../stores/local-repository.ts'

const WITHIN = 120_000
let repository: LocalRepository
let machines: Machines
let machine: Machine
let hub: { base: string; run: Run }
let markers = 0

const HEAD = 'published_at: "2026-11-01T00:00:00Z"\npublished_by: octocat\n'
const version = (content: string, more = '') => `---\n${HEAD}${more}---\n${content}`
const SKILL = 'skill:\n  description: Reviews a change. Use it before a pull request is opened.\n'
const index = (more = '') => `---\ntitle: A prompt\n${more}---\n`

/** The files of one prompt. */
interface Prompt {
  /** Writes a file; null removes it. */
  put(path: string, text: string | null): void
  at(path: string): string
  git(...args: string[]): void
}
const openPrompt = (name: string): Prompt => {
  const at = (path: string) => join(repository.folder, 'content/acme', name, path)
  return {
    at,
    put(path, text) {
      rmSync(at(path), { recursive: true, force: true })
      if (text === null) return
      mkdirSync(dirname(at(path)), { recursive: true })
      writeFileSync(at(path), text)
    },
    git: (...args) => void repository.git('-C', join(repository.folder, 'content/acme', name), ...args),
  }
}
function begin(name: string): Prompt {
  const prompt = openPrompt(name)
  prompt.put('index.md', index('yanked: {"1.2.0": Says too much}\n'))
  prompt.put('versions/1.0.0.md', version('The first.\n'))
  prompt.put('versions/1.1.0.md', version('Review this.\n', SKILL))
  prompt.put('versions/1.1.0/notes.txt', 'Notes.\n')
  prompt.put('versions/1.2.0.md', version('Yanked.\n'))
  return prompt
}
function commit(): string {
  repository.git('add', '-A')
  repository.git('commit', '-q', '--allow-empty', '-m', 'By hand')
  return repository.git('rev-parse', 'HEAD').trim()
}
async function raw(prompt: string, asked?: string): Promise<string | number> {
  const query = asked === undefined ? '' : `?version=${asked}`
  const answer = await fetch(`${hub.base}/api/v1/repos/acme/${prompt}/raw${query}`)
  return answer.ok ? answer.text() : answer.status
}
const versionsOf = async (name: string) => {
  const answer = await fetch(`${hub.base}/api/v1/repos/acme/${name}/versions`)
  const { data = [] } = await answer.json()
  return data.map((one: { version: string; yanked: boolean }) => `${one.version}${one.yanked ? ' yanked' : ''}`)
}
const health = async () => (await fetch(`${hub.base}/healthz`)).json()
/** Waits until the hub serves what is committed now, with a version of another prompt, and knows its problems. */
async function settle(): Promise<void> {
  const next = `1.0.${++markers}`
  const before = (await health()).built_at
  const head = repository.commit({ [`content/acme/marker/versions/${next}.md`]: version(`Marker ${next}\n`) })
  const look = async () => {
    const { commit, built_at, unbuilt } = await health()
    return commit === head && built_at !== before && unbuilt === null ? true : undefined
  }
  await poll('the commit is served', WITHIN, look).catch((error) => {
    throw new Error(`${error}\n${hub.run.log()}`)
  })
}
/**
 * The problems of a prompt in `/healthz`, without its path. @param count how many are expected: they are reported a
 * moment after the build
 */
async function problemsOf(name: string, count?: number): Promise<string[]> {
  const start = `content/acme/${name}/`
  const list = async () => {
    const { broken } = await health()
    return broken.flatMap((one: string) => (one.startsWith(start) ? [one.slice(start.length)] : []))
  }
  if (count !== undefined) await expect.poll(async () => (await list()).length, { timeout: WITHIN }).toBe(count)
  return list()
}

beforeAll(async () => {
  repository = makeRepository('ready')
  repository.commit({ 'content/acme/marker/versions/1.0.0.md': version('Marker\n') })
  machines = openMachines()
  machine = machines.make({
    CONTENT_DIR: join(repository.folder, 'content'),
    SITE_URL: 'http://localhost',
    RATE_LIMIT_PER_MINUTE: '0',
  })
  hub = await machine.start()
})
afterAll(async () => {
  await hub?.run.end()
  machines?.close()
})

/** The name of a case, what changes the prompt, the file that the problem names, and what is there. */
type Change = readonly [string, (prompt: Prompt) => void, string, string]
const ADDED = 'a file that was added later'
const V1 = 'versions/1.0.0.md'
const CHANGES: readonly Change[] = [
  ['edit', ({ put }) => put(V1, version('Other.\n')), V1, 'other bytes'],
  ['author', ({ put }) => put(V1, version('The first.\n').replace('octocat', 'eve')), V1, 'other bytes'],
  ['invalid', ({ put }) => put(V1, 'No front matter.\n'), V1, 'other bytes'],
  ['deletion', ({ put }) => put(V1, null), V1, 'nothing'],
  ['move', ({ git }) => git('mv', V1, 'versions/1.3.0.md'), V1, 'nothing'],
  [
    'link',
    ({ put, at }) => {
      put(V1, null)
      symlinkSync('1.1.0.md', at(V1))
    },
    V1,
    'other bytes',
  ],
  ['skill-file', ({ put }) => put('versions/1.1.0/notes.txt', 'x'), 'versions/1.1.0/notes.txt', 'other bytes'],
  ['skill-added', ({ put }) => put('versions/1.1.0/run.sh', 'x'), 'versions/1.1.0/run.sh', ADDED],
  ['skill-refused', ({ put }) => put('versions/1.1.0/SKILL.md', 'x'), 'versions/1.1.0/SKILL.md', ADDED],
  ['skill-link', ({ at }) => symlinkSync('/etc', at('versions/1.1.0/link')), 'versions/1.1.0/link', ADDED],
  ['skill-deleted', ({ put }) => put('versions/1.1.0', null), 'versions/1.1.0/notes.txt', 'nothing'],
  ['plain-files', ({ put }) => put('versions/1.0.0/notes.txt', 'x'), 'versions/1.0.0/notes.txt', ADDED],
  [
    'attestation',
    ({ put }) => put('attestations/1.0.0/1.sigstore.json', '{}'),
    'attestations/1.0.0/1.sigstore.json',
    ADDED,
  ],
]

/** Expects that the first files are served, and that the problem is in `/healthz`, the log and the page. */
async function expectFirst(name: string, path: string, got: string): Promise<void> {
  const said = await problemsOf(name, 1)
  expect([name, said]).toEqual([
    name,
    [expect.stringContaining(`${path}: expected the version as it came to the branch`)],
  ])
  expect(said[0]).toContain(`, got ${got}; the first files are served.`)
  expect(await raw(name, '1.0.0')).toBe('The first.\n')
  expect(await raw(name, '1.1.0')).toBe('Review this.\n')
  const { data } = await (await fetch(`${hub.base}/api/v1/repos/acme/${name}/versions/1.1.0`)).json()
  expect(data.files.map((file: { path: string }) => file.path)).toEqual(['notes.txt'])
  expect(await (await fetch(`${hub.base}/acme/${name}/v/1.1.0/notes.txt`)).text()).toBe('Notes.\n')
  expect(await versionsOf(name)).toContain('1.2.0 yanked')
}

const [committed, edited] = ['c', 'e']
/** The commit before any change. */
let first: string

describe('a commit changes a published version', () => {
  beforeAll(async () => {
    for (const kind of [committed, edited]) for (const [name] of CHANGES) begin(`${kind}-${name}`)
    first = commit()
    await settle()
    await poll('no problem', WITHIN, async () => ((await health()).broken.length === 0 ? true : undefined))
    for (const [name, change] of CHANGES) change(openPrompt(`${committed}-${name}`))
    commit()
    for (const [name, change] of CHANGES) if (name !== 'move') change(openPrompt(`${edited}-${name}`))
    await settle()
  })

  test.each(CHANGES)('%s', async (name, _, path, got) => expectFirst(`${committed}-${name}`, path, got))

  // A deletion that nobody has committed has a message of its own.
  test.each(CHANGES.filter(([name, , , got]) => got !== 'nothing' && name !== 'link'))(
    '%s, not committed',
    async (name, _, path, got) => expectFirst(`${edited}-${name}`, path, got),
  )

  test('the log and the page of the prompt say so', async () => {
    expect(hub.run.log()).toContain('content/acme/c-edit/versions/1.0.0.md: expected the version as it came')
    // Until the pages are bundled, they say so.
    const page = async () => (await fetch(`${hub.base}/acme/c-edit`)).text()
    await expect.poll(page, { timeout: WITHIN }).toContain('expected the version as it came')
    expect((await health()).status).toBe('degraded')
  })
})

const removed = index('removed: {"1.0.0": A court forbade it}\n')
const takeDown = ({ put }: Prompt) => {
  put('versions/1.0.0.md', null)
  put('index.md', removed)
}
const restoreText = ({ put }: Prompt) => put('versions/1.0.0.md', version('The first.\n'))
const drop = ({ put }: Prompt) => put('index.md', index())
/** What happens, each in a commit of its own, then what 1.0.0 is, and the problem. */
const STORIES: readonly (readonly [string, ((prompt: Prompt) => void)[], string | 404, RegExp | undefined])[] = [
  ['down', [takeDown], 404, undefined],
  ['down-restored', [takeDown, restoreText], 404, /1\.0\.0\.md: expected no file for a version that was taken down/],
  ['down-dropped', [takeDown, drop], 404, /1\.0\.0\.md: expected removed in index\.md to name this version/],
  [
    'down-approved',
    [
      takeDown,
      (prompt) => {
        drop(prompt)
        restoreText(prompt)
      },
    ],
    'The first.\n',
    undefined,
  ],
  [
    'down-replaced',
    [takeDown, drop, ({ put }) => put('versions/1.0.0.md', version('Another text.\n'))],
    404,
    /1\.0\.0\.md: expected the files of commit \w+, because this version was taken down/,
  ],
  [
    'deleted-first',
    [({ put }) => put('versions/1.0.0.md', null), ({ put }) => put('index.md', removed), drop],
    404,
    /was taken down/,
  ],
  ['gone', [({ put }) => put('.', null)], 'The first.\n', /1\.0\.0\.md: .*got nothing/],
  [
    'invalid-first',
    [
      ({ put }) => put('versions/2.0.0.md', 'Nothing that a hub could read.\n'),
      ({ put }) => put('versions/2.0.0.md', version('Two.\n')),
    ],
    'The first.\n',
    undefined,
  ],
  [
    'edited-twice',
    [({ put }) => put(V1, version('A\n')), ({ put }) => put(V1, version('B\n'))],
    'The first.\n',
    /other bytes/,
  ],
  ['reverted', [({ put }) => put(V1, version('A\n')), restoreText], 'The first.\n', undefined],
]
const checkStory = async (name: string, text: string | 404, problem: RegExp | undefined) => {
  expect([name, await raw(name, '1.0.0')]).toEqual([name, text])
  const said = await problemsOf(name, name === 'gone' ? 3 : problem ? 1 : 0)
  if (name === 'gone') expect(said.length).toBe(3)
  else expect([name, said.length, said.join()]).toEqual([name, problem ? 1 : 0, expect.any(String)])
  if (problem) expect(said.join('\n')).toMatch(problem)
}

describe('a takedown and what follows it', () => {
  beforeAll(async () => {
    for (const [name] of STORIES) begin(name)
    commit()
    const most = Math.max(...STORIES.map(([, steps]) => steps.length))
    for (let step = 0; step < most; step++) {
      for (const [name, steps] of STORIES) steps[step]?.(openPrompt(name))
      commit()
      // Each step is in a build of its own: a hub that reads on knows the same as one that reads everything.
      await settle()
    }
  })

  test.each(STORIES)('%s', async (name, _, text, problem) => checkStory(name, text, problem))
  test('a prompt that was deleted as a whole keeps its yanked version yanked', async () => {
    expect(await versionsOf('gone')).toContain('1.2.0 yanked')
  })
  test('a version that could not be read at first is served when it can', async () => {
    expect(await raw('invalid-first', '2.0.0')).toBe('Two.\n')
  })
})

test('of two branches that are merged, what came to this branch first counts', async () => {
  begin('merged')
  commit()
  repository.git('checkout', '-q', '-b', 'side', 'HEAD~1')
  const { put } = openPrompt('merged')
  put('versions/1.0.0.md', version('Of the side.\n'))
  put('versions/2.0.0.md', version('New.\n'))
  commit()
  put('versions/2.0.0.md', version('Newer, before the merge.\n'))
  commit()
  repository.git('checkout', '-q', 'main')
  repository.git('merge', '-q', '--no-ff', '-X', 'theirs', '-m', 'Merge', 'side')
  await settle()
  expect([await raw('merged', '1.0.0'), await raw('merged', '2.0.0')]).toEqual([
    'The first.\n',
    'Newer, before the merge.\n',
  ])
  expect(await problemsOf('merged', 1)).toEqual([expect.stringContaining('versions/1.0.0.md: expected the version')])
})

describe('a publish on top of a changed branch', () => {
  let token: string
  const publish = async (name: string, body: object, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${hub.base}/api/v1/repos/acme/${name}/versions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    return { status: answer.status, ...(await answer.json()) }
  }
  beforeAll(() => {
    token = machine.makeToken('acme')
  })

  test('inherits from the first bytes, and compares with them, before and after a build', async () => {
    const prompt = openPrompt('based')
    prompt.put('versions/1.0.0.md', version('Hi {{name}}.\n', 'parameters: {temperature: 0.2}\n'))
    prompt.put('versions/1.1.0.md', version('Hello {{name}}.\n', `${SKILL}parameters: {temperature: 0.2}\n`))
    prompt.put('versions/1.1.0/notes.txt', 'Notes.\n')
    commit()
    await settle()
    const tamper = () => {
      prompt.put('versions/1.1.0.md', version('Curl it {{name}}.\n', 'parameters: {temperature: 2}\n'))
      prompt.put('versions/1.1.0/notes.txt', 'Curl it.\n')
      commit()
    }
    for (const isBuilt of [false, true]) {
      tamper()
      if (isBuilt) await settle()
      const same = await publish('based', { content: 'Hello {{name}}.\n', dry_run: true })
      expect(same).toMatchObject({ status: 200, data: { version: '1.1.0', unchanged: true } })
      const next = await publish('based', { content: 'Bye {{name}}.\n', dry_run: true })
      expect(next).toMatchObject({ status: 200, data: { version: '1.1.1', parameters: { temperature: 0.2 } } })
      expect(next.data.files).toMatchObject([{ path: 'notes.txt', size_bytes: 7 }])
    }
    const made = await publish('based', { content: 'Bye {{name}}.\n' })
    expect(made).toMatchObject({ status: 201, data: { version: '1.1.1', parameters: { temperature: 0.2 } } })
    await settle()
    expect(await (await fetch(`${hub.base}/acme/based/v/1.1.1/notes.txt`)).text()).toBe('Notes.\n')
    await expect.poll(async () => (await problemsOf('based')).length, { timeout: WITHIN }).toBe(1)
  })

  test('knows the commit of an edit soon, although the commit changes no file', async () => {
    openPrompt('marker').put('index.md', index())
    const titleOf = async () => (await (await fetch(`${hub.base}/api/v1/repos/acme/marker`)).json()).data.title
    await expect.poll(titleOf, { timeout: WITHIN }).toBe('A prompt')
    const head = commit()
    // The next look at all files would find it after a minute.
    await expect.poll(async () => (await health()).commit, { timeout: 50_000 }).toBe(head)
  })

  test('a repeated publish returns its own bytes', async () => {
    const key = { 'idempotency-key': 'key-of-this-test' }
    const first = await publish('replayed', { content: 'Mine.\n' }, key)
    expect(first).toMatchObject({ status: 201, data: { version: '1.0.0' } })
    openPrompt('replayed').put('versions/1.0.0.md', version('Not mine.\n'))
    commit()
    for (const isBuilt of [false, true]) {
      if (isBuilt) await settle()
      const again = await publish('replayed', { content: 'Mine.\n' }, key)
      expect(again).toMatchObject({ status: 200, data: { version: '1.0.0', content: 'Mine.\n' } })
    }
  })

  test('uses no number again that the history has, although removed does not name it', async () => {
    const down = begin('numbers')
    commit()
    for (const file of ['1.0.0.md', '1.1.0.md', '1.1.0', '1.2.0.md']) down.put(`versions/${file}`, null)
    down.put('index.md', index('removed: {"1.0.0": a, "1.1.0": a, "1.2.0": a}\n'))
    commit()
    down.put('index.md', index())
    down.put('versions/1.0.0.md', version('The first.\n'))
    commit()
    await settle()
    expect(await publish('numbers', { content: 'Next.\n' })).toMatchObject({ status: 201, data: { version: '1.2.1' } })
    const gone = begin('number-gone')
    commit()
    gone.put('versions/1.2.0.md', null)
    gone.put('index.md', index())
    commit()
    await settle()
    expect(await publish('number-gone', { content: 'Next.\n' })).toMatchObject({ data: { version: '1.2.1' } })
  })

  test('uses no number again that this hub published and a reset took away, also after a start with nothing', async () => {
    begin('reset')
    commit()
    await settle()
    expect(await publish('reset', { content: 'Lost.\n' })).toMatchObject({ status: 201, data: { version: '1.2.1' } })
    const look = async () => ((await raw('reset', '1.2.1')) === 'Lost.\n' ? true : undefined)
    await poll('it is served', WITHIN, look)
    repository.git('reset', '-q', '--hard', 'HEAD~1')
    // Before a build has read it, and after.
    expect(await publish('reset', { content: 'A.\n', dry_run: true })).toMatchObject({ data: { version: '1.2.2' } })
    await settle()
    const loss = [expect.stringMatching(/1\.2\.1\.md: expected the version that this hub published, got nothing/)]
    await expect.poll(() => problemsOf('reset'), { timeout: WITHIN }).toEqual(loss)
    expect(await raw('reset', '1.2.1')).toBe(404)
    expect(await publish('reset', { content: 'A.\n', dry_run: true })).toMatchObject({ data: { version: '1.2.2' } })
    // A hub that starts with nothing serves the same.
    await hub.run.end()
    rmSync(join(machine.folder, '.hub/data'), { recursive: true })
    hub = await machine.start()
    await settle()
    for (const [name, , path, got] of CHANGES) await expectFirst(`${committed}-${name}`, path, got)
    for (const [name, , text, problem] of STORIES) await checkStory(name, text, problem)
    await expect.poll(() => problemsOf('reset'), { timeout: WITHIN }).toEqual(loss)
    expect(await publish('reset', { content: 'B.\n' })).toMatchObject({ status: 201, data: { version: '1.2.2' } })
    // The number with another text is not served, either.
    repository.git('reset', '-q', '--hard', 'HEAD~1')
    openPrompt('reset').put('versions/1.2.2.md', version('Another B.\n'))
    commit()
    await settle()
    const other = /1\.2\.2\.md: expected the version that this hub published, got other/
    await expect.poll(async () => (await problemsOf('reset')).join(), { timeout: WITHIN }).toMatch(other)
    expect(await raw('reset', '1.2.2')).toBe(404)
    const named = 'removed: {"1.2.1": Set back, "1.2.2": Set back}\n'
    openPrompt('reset').put('versions/1.2.2.md', null)
    openPrompt('reset').put('index.md', index(named))
    commit()
    await expect.poll(() => problemsOf('reset'), { timeout: WITHIN }).toEqual([])
  })
})

test('a repair of the branch ends the problems', async () => {
  for (const kind of [committed, edited])
    for (const [name] of CHANGES) {
      const paths = [`content/acme/${kind}-${name}`]
      // The number that the move took is that of a version from then on.
      const mode = name === 'move' ? '--overlay' : '--no-overlay'
      repository.git('restore', mode, `--source=${first}`, '--staged', '--worktree', '--', ...paths)
      repository.git('clean', '-qfd', '--', ...paths)
    }
  commit()
  await settle()
  const left = async () => (await health()).broken.filter((one: string) => /^content\/acme\/[ce]-/.test(one))
  await expect.poll(left, { timeout: WITHIN }).toEqual([])
  for (const [name] of CHANGES) expect(await raw(`c-${name}`, '1.0.0')).toBe('The first.\n')
})
