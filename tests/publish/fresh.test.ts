// Tests fresh copies: a published version can be read immediately, before a build includes it. A failing store of fresh
// copies must break nothing else.
import { hash } from 'node:crypto'
import { cpSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { HubError } from '../../src/domain/api/errors.ts'
import { Activity, Repository, VersionRecord, VersionSummary } from '../../src/domain/api/schema.ts'
import { readIndex } from '../../src/domain/publishing/repository-state.ts'
import { renewFreshCopy } from '../../src/server/publish/renew-fresh-copy.ts'
import { copiesAhead, UNKNOWN_SOURCE } from '../../src/state/fresh-copies.ts'
import { openCopies } from '../../src/state/stored-copies.ts'
import { memoryState } from '../hubs/memory-state.ts'
import { type Hub, openHub } from '../hubs/publishing.ts'
import { openLocalWorld, type World } from '../hubs/worlds.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { consecutive, sorted } from './history.ts'

const OLD = '---\npublished_at: "2026-01-01T00:00:00Z"\npublished_by: octocat\nchangelog: First\n---\nOld {{x}}\n'
const VERSION_1 = 'content/acme/code-review/versions/1.0.0.md'
const INDEX = 'content/acme/code-review/index.md'

let world: World
let hub: Hub
beforeEach(async () => {
  world = openLocalWorld({ [VERSION_1]: OLD })
  hub = await openHub(world)
  await hub.build()
})
afterEach(() => vi.restoreAllMocks())

/** Returns the logged lines about problems; others are audit lines. */
const problemsIn = (errors: { mock: { calls: unknown[][] } }): { level: string }[] =>
  errors.mock.calls.map(([line]) => JSON.parse(String(line))).filter(({ level }) => level !== 'audit')

const latestOf = async (at = hub) => (await at.readRepository()).data.latest_version
const listOf = async (at = hub) => {
  const { text } = await at.readRepository('/versions')
  const list: { data: Record<'version' | 'published_at' | 'available_at', string>[]; meta: object } = JSON.parse(text)
  return list
}

describe('reads right after a publish, without a build', () => {
  test('returns repository, versions, version and raw content of a new version, each with an ETag', async () => {
    const etagOf = async (rest: string) => (await hub.readRepository(rest)).headers.get('ETag')
    const rests = ['', '/versions', '/raw', '/versions/1.0.0', '/raw?version=1.0.0']
    const before = await Promise.all(rests.map(etagOf))
    const published = await hub.publish({
      bump: 'patch',
      content: 'New {{y}}\r\n',
      changelog: 'Second',
      title: 'Reviews',
      tags: ['go'],
    })
    expect(published.status).toBe(201)
    const { html_url: _page, warnings: _warnings, unchanged: _unchanged, ...rest } = published.data
    const { breaking: _breaking, commit: _commit, manifest_sha256: _manifest, ...record } = rest

    const detail = await hub.readRepository()
    expect(detail.data).toMatchObject({
      full_name: 'acme/code-review',
      title: 'Reviews',
      tags: ['go'],
      latest_version: '1.0.1',
      versions_count: 2,
      created_at: '2026-01-01T00:00:00Z',
      updated_at: published.data.published_at,
      content: 'New {{y}}\r\n',
      content_sha256: published.data.content_sha256,
      size_bytes: 11,
      variables: [{ name: 'y' }],
      versions: ['1.0.1', '1.0.0'],
      status: 'active',
      stats: null,
    })
    const list = await listOf()
    expect(list.meta).toEqual({ page: 1, pages: 1, total: 2 })
    expect(list.data).toMatchObject([
      { version: '1.0.1', changelog: 'Second', yanked: false, size_bytes: 11 },
      { version: '1.0.0', changelog: 'First', yanked: false },
    ])
    expect((await hub.readRepository('/versions/1.0.1')).data).toEqual(record)
    const raw = await hub.readRepository('/raw')
    expect([raw.text, raw.headers.get('X-Prompt-Version')]).toEqual(['New {{y}}\r\n', '1.0.1'])
    expect(raw.headers.get('Content-Type')).toBe('text/plain; charset=utf-8')
    expect((await hub.readRepository('/raw?version=1.0.1')).text).toBe('New {{y}}\r\n')
    expect((await hub.readRepository('/raw?version=1.0.0')).text).toBe('Old {{x}}\n')

    //  path                 cache
    for (const [rest, cache] of [
      ['', 'public, max-age=60, stale-while-revalidate=600'],
      ['/versions', 'public, max-age=60, stale-while-revalidate=600'],
      ['/raw', 'public, max-age=60, stale-while-revalidate=600'],
      ['/versions/1.0.1', 'public, max-age=31536000, immutable'],
      ['/raw?version=1.0.1', 'public, max-age=31536000, immutable'],
    ] as const) {
      const answer = await hub.readRepository(rest)
      const etag = answer.headers.get('ETag') ?? ''
      expect(etag).toMatch(/^"[A-Za-z0-9_-]{22}"$/)
      expect(answer.headers.get('Cache-Control')).toBe(cache)
      const again = await hub.readRepository(rest, { 'If-None-Match': etag })
      expect([again.status, again.text]).toEqual([304, ''])
    }
    const after = await Promise.all(rests.map(etagOf))
    expect(rests.map((_, index) => before[index] === after[index])).toEqual([false, false, false, true, true])
  })

  test('shows a repository that was never built', async () => {
    expect((await hub.read('/api/v1/repos/acme/brand-new')).status).toBe(404)
    await hub.publish({ content: 'Hello\n' }, { to: 'acme/brand-new' })
    const detail = await hub.read('/api/v1/repos/acme/brand-new')
    expect(detail.data).toMatchObject({
      title: 'Brand new',
      latest_version: '1.0.0',
      versions: ['1.0.0'],
      versions_count: 1,
    })
    expect((await hub.read('/api/v1/repos/acme/brand-new/raw')).text).toBe('Hello\n')
    expect((await hub.read('/api/v1/repos/acme/brand-new/versions/1.0.1')).status).toBe(404)
  })

  test('includes versions and yanks that were committed directly to git, with the time at which they came', async () => {
    const began = Math.floor(Date.now() / 1000) * 1000
    await world.commitOutside({
      'content/acme/code-review/versions/1.1.0.md': OLD.replace('Old {{x}}', 'By hand'),
      [INDEX]: '---\nyanked:\n  "1.0.0": Wrong\n---\n',
    })
    expect((await hub.publish({ bump: 'patch', content: 'New\n' })).version).toBe('1.1.1')
    expect((await listOf()).data).toMatchObject([
      { version: '1.1.1', yanked: false },
      { version: '1.1.0', yanked: false },
      { version: '1.0.0', yanked: true, yank_reason: 'Wrong' },
    ])
    expect((await hub.readRepository()).data).toMatchObject({ versions: ['1.1.1', '1.1.0'], versions_count: 3 })
    const expectTimes = async () => {
      const [published, byHand] = (await listOf()).data
      expect(published!.available_at).toBe(published!.published_at)
      expect(byHand!.published_at).toBe('2026-01-01T00:00:00Z')
      expect(Date.parse(byHand!.available_at)).toBeGreaterThanOrEqual(began)
    }
    await expectTimes()
    await hub.build()
    await expectTimes()
  })

  test('serves every listed version, including ones committed directly to git since the last build', async () => {
    const byHand = Array.from({ length: 55 }, (_, patch) => `1.1.${patch}`)
    const path = (version: string) => `content/acme/code-review/versions/${version}.md`
    await world.commitOutside({
      ...Object.fromEntries(byHand.map((version) => [path(version), OLD.replace('Old {{x}}', `By hand ${version}`)])),
      [path('1.1.30')]: 'no front matter',
    })
    expect((await hub.publish({ content: 'New\n', bump: 'major' })).version).toBe('2.0.0')
    const listed = (await listOf()).data.map(({ version }) => version)
    expect(listed.slice(0, 4)).toEqual(['2.0.0', '1.1.54', '1.1.53', '1.1.52'])
    expect(listed).toHaveLength(51)
    expect(listed).not.toContain('1.1.30')
    for (const version of ['1.1.54', '1.1.32', '1.1.6']) {
      expect((await hub.readRepository(`/versions/${version}`)).data).toMatchObject({
        version,
        previous_version: `1.1.${Number(version.slice(4)) - 1}`,
        changelog: 'First',
      })
      expect((await hub.readRepository(`/raw?version=${version}`)).text).toBe(`By hand ${version}\n`)
    }
    expect((await hub.readRepository('/versions/1.1.30')).status).toBe(404)
  })

  test('purges the cache of the repository once, and publishes even if the purge fails', async () => {
    const errors = vi.spyOn(console, 'error').mockImplementation(() => {})
    const purged: string[][] = []
    const purging = await openHub(world, {
      purge: async (tags) => {
        purged.push(tags)
        throw new Error('the CDN is away')
      },
    })
    expect((await purging.publish({ bump: 'patch', content: 'New\n' })).status).toBe(201)
    await purging.publish({ bump: 'patch', content: 'New\n' })
    await purging.publish({ bump: 'patch', content: 'Newer\n', dry_run: true })
    expect(purged).toEqual([['repo_acme_code-review', 'owner_acme']])
    expect(problemsIn(errors)).toHaveLength(1)
  })
})

describe('fresh copies and builds', () => {
  test('serves the build instead of the copy once it contains the version', async () => {
    await hub.publish({ bump: 'patch', content: 'New\n' })
    const files = await hub.build()
    expect((await hub.readRepository()).text).toBe(files.get('/data/v1/repos/acme/code-review.json'))
    // Data that exists only in the build, such as a status and a yank set in git, now appears.
    await world.commitOutside({ [INDEX]: '---\nstatus: deprecated\nyanked:\n  "1.0.1": Wrong\n---\n' })
    await hub.build()
    expect((await hub.readRepository()).data).toMatchObject({ status: 'deprecated', latest_version: '1.0.0' })
    expect((await hub.readRepository('/versions/1.0.1')).status).toBe(200)
  })

  test('a build started before the publish does not hide the new version', async () => {
    await world.commitOutside({ [INDEX]: '---\ntitle: Built late\n---\n' })
    const { contentDir, source } = await hub.readContent()
    const read = { contentDir: temporaryFolder('hub-late-'), source }
    cpSync(contentDir, read.contentDir, { recursive: true })
    await hub.publish({ bump: 'patch', content: 'New\n' })
    await hub.build(read)
    expect(await latestOf()).toBe('1.0.1')
    expect((await hub.readRepository('/raw')).text).toBe('New\n')
    rmSync(read.contentDir, { recursive: true })
  })

  test('shows a changed title until the next build, then the built title', async () => {
    await hub.publish({ content: 'Old {{x}}\n', title: 'Reviews' })
    await world.commitOutside({ [INDEX]: '---\ntitle: By hand\n---\n' })
    expect((await hub.readRepository()).data.title).toBe('Reviews')
    await hub.build()
    expect((await hub.readRepository()).data.title).toBe('By hand')
  })
})

describe('concurrent publishers', () => {
  test('each reads its own version right after 201, and the last copy contains all versions', async () => {
    // The stores have different response times, so that the writers finish out of order.
    let turn = 0
    const slow = await openHub(world, { state: memoryState(() => sleep((turn++ * 7) % 30)) })
    await slow.build()
    const seen = await Promise.all(
      Array.from({ length: 5 }, async (_, index) => {
        const { version } = await slow.publish({ bump: 'patch', content: `New ${index}\n` })
        const { data } = await slow.readRepository()
        const raw = await slow.readRepository(`/raw?version=${version}`)
        return {
          version,
          isListed: Array.isArray(data.versions) && data.versions.includes(version),
          raw: raw.text,
          index,
        }
      }),
    )
    expect(sorted(seen.map(({ version }) => version))).toEqual(consecutive(5, 1))
    for (const { isListed, raw, index } of seen) expect([isListed, raw]).toEqual([true, `New ${index}\n`])
    expect(await latestOf(slow)).toBe('1.0.5')
    expect((await listOf(slow)).data.map(({ version }) => version)).toEqual(consecutive(6).reverse())
  })

  test('a late write from one process does not overwrite a newer copy', async () => {
    const late = Promise.withResolvers<void>()
    const reached = Promise.withResolvers<void>()
    const state = memoryState()
    const held = {
      ...state,
      get: async (key: string) => {
        const isAfterCommit =
          key.startsWith('fresh/') &&
          (
            await world
              .openStore()
              .readFolder({ owner: 'acme', name: 'code-review' }, { signal: AbortSignal.timeout(9_000) })
          ).versions.has('1.0.1')
        if (isAfterCommit) {
          reached.resolve()
          await late.promise
        }
        return await state.get(key)
      },
    }
    const first = await openHub(world, { state, freshState: held })
    const second = await openHub(world, { state })
    const publishing = first.publish({ bump: 'patch', content: 'Early\n' })
    await reached.promise
    expect((await second.publish({ bump: 'patch', content: 'Late\n' })).version).toBe('1.0.2')
    late.resolve()
    expect((await publishing).version).toBe('1.0.1')
    expect(await latestOf(second)).toBe('1.0.2')
    expect((await second.readRepository('/raw')).text).toBe('Late\n')
    expect((await second.readRepository('/raw?version=1.0.1')).text).toBe('Early\n')
    expect((await listOf(second)).data.map(({ version }) => version)).toEqual(['1.0.2', '1.0.1', '1.0.0'])
  })
})

test('reads git again if a call fails or its response is outdated while a copy is renewed', async () => {
  const git = world.openStore()
  const repository = { owner: 'acme', name: 'code-review' }
  const outdated = await git.readFolder(repository, { signal: AbortSignal.timeout(9_000) })
  await hub.publish({ bump: 'patch', content: 'New\n' })
  const added = (await openCopies(hub.state).find('versions', 'acme', 'code-review', '1.0.1'))?.version
  const folder = await git.readFolder(repository, { signal: AbortSignal.timeout(9_000) })
  const failing = vi
    .fn(git.readFolder)
    .mockRejectedValueOnce(new HubError('unavailable', 'The git host is away.'))
    .mockResolvedValueOnce(outdated)
  const fresh = copiesAhead(openCopies(hub.state), () => UNKNOWN_SOURCE)
  const written = {
    ...repository,
    folder,
    file: readIndex(repository, folder.index),
    entry: undefined,
    added,
  }
  await renewFreshCopy(
    // The copy that was read before this write is not the stored one, as if another process had stored its own meanwhile.
    { ...written, commit: folder.head, keptMs: Date.UTC(2030, 0, 1), before: undefined, by: 'octocat' },
    {
      git: { ...git, readFolder: failing },
      fresh,
      siteFiles: { read: async () => undefined },
      baseUrl: 'https://hub.test',
    },
    new Date('2030-01-01T00:00:00Z'),
  )
  expect(failing).toHaveBeenCalledTimes(3)
  expect(await openCopies(hub.state).find('repositories', 'acme', 'code-review')).toMatchObject({
    kept_at: '2030-01-01T00:00:00.000Z',
    repository: { latest_version: '1.0.1', versions_count: 2 },
  })
})

describe('stored copies', () => {
  const Copy = z.object({
    repository: Repository,
    versions: z.array(VersionSummary),
    activity: z.array(Activity),
    commit: z.string().regex(/^[0-9a-f]{40}$/),
    kept_at: z.iso.datetime(),
  })
  const Version = z.object({ version: VersionRecord, commit: Copy.shape.commit, kept_at: Copy.shape.kept_at })
  const keptAt = async (key: string): Promise<{ format: string; record: unknown }> =>
    JSON.parse((await hub.state.get(`fresh/${key}`))?.value ?? '{}')

  test('match the schemas of the records, have another format when one changes, and count as missing in another', async () => {
    await hub.publish({ bump: 'patch', content: 'New {{y}}\n', parameters: { temperature: 0.2 } })
    const copy = await keptAt('repositories/acme/code-review')
    expect(() => Copy.parse(copy.record)).not.toThrow()
    const version = await keptAt('versions/acme/code-review/1.0.1')
    expect(() => Version.parse(version.record)).not.toThrow()
    expect((await hub.readRepository()).data.latest_version).toBe('1.0.1')
    await hub.state.set('fresh/repositories/acme/code-review', JSON.stringify({ ...copy, format: 'another' }))
    expect((await hub.readRepository()).data.latest_version).toBe('1.0.0')
    const shapes = [Copy, Version].map((schema) =>
      JSON.stringify(z.toJSONSchema(schema), (key, value) =>
        key === 'description' && typeof value === 'string' ? undefined : value,
      ),
    )
    // Copies from the last deploy still exist.
    const remedy = 'a record has changed: set FORMAT in src/state/stored-copies.ts to the expected value'
    expect(copy.format, remedy).toBe(hash('sha256', shapes.join('\n')).slice(0, 16))
  })
})

describe('a failing store of copies', () => {
  const away = async (): Promise<never> => {
    throw new HubError('unavailable', 'The store cannot be reached.', { retryAfterSeconds: 5 })
  }
  const damaged = [
    '{"half',
    '{"repository":{"owner":"acme"}}',
    '{"format":99,"record":{"repository":{"owner":"acme"}}}',
  ]
  let found = 0
  //  case                         store
  test.each([
    ['fails at every call', { ...memoryState(), get: away, set: away, add: away, delete: away, list: away }],
    [
      'fails with an unexpected error',
      { ...memoryState(), get: () => Promise.reject(new TypeError('x')), set: () => Promise.reject(null) },
    ],
    [
      'contains what is no copy',
      { ...memoryState(), get: async () => ({ value: damaged[found++ % damaged.length]!, version: '1' }) },
    ],
  ])('%s: publishing and reading still work', async (_, freshState) => {
    const errors = vi.spyOn(console, 'error').mockImplementation(() => {})
    const failing = await openHub(world, { freshState })
    await failing.build()
    const answer = await failing.publish({ bump: 'patch', content: 'New\n' })
    expect([answer.status, answer.version]).toEqual([201, '1.0.1'])
    for (const rest of ['', '/versions', '/raw', '/versions/1.0.0', '/raw?version=1.0.0'])
      expect((await failing.readRepository(rest)).status).toBe(200)
    expect((await failing.publish({ bump: 'patch', content: 'New\n' })).data.unchanged).toBe(true)
    expect((await failing.publish({ bump: 'patch', content: 'Newer\n' })).version).toBe('1.0.2')
    await failing.build()
    expect((await failing.readRepository('/raw')).text).toBe('Newer\n')
    const problems = problemsIn(errors)
    expect(problems.length).toBeGreaterThan(0)
    for (const problem of problems) expect(problem).toMatchObject({ level: 'warning' })
  })

  test('a process with copies in memory still shows what it published', async () => {
    const remembering = await openHub(world, {
      freshState: {
        get: away,
        set: away,
        add: away,
        replace: away,
        delete: away,
        list: away,
        removeExpired: away,
      },
      isRemembering: true,
    })
    vi.spyOn(console, 'error').mockImplementation(() => {})
    expect((await remembering.publish({ bump: 'patch', content: 'New\n' })).version).toBe('1.0.1')
    expect((await remembering.readRepository('/raw')).text).toBe('New\n')
    expect((await remembering.readRepository('/versions/1.0.1')).data.content).toBe('New\n')
  })

  test('a copy with versions that are missing from git does not block a publish, whose number is another', async () => {
    await hub.publish({ bump: 'patch', content: 'New\n' })
    const reset = openLocalWorld({ [VERSION_1]: OLD })
    const other = await openHub(reset, { state: hub.state })
    expect((await other.publish({ bump: 'patch', content: 'Again\n' })).version).toBe('1.0.2')
  })
})
