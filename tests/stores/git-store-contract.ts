// The contract tests that every git store must pass, on a real repository.
import { beforeEach, describe, expect, test } from 'vitest'
import { HubError } from '../../src/domain/api/errors.ts'
import { nextVersion } from '../../src/domain/values/versions.ts'
import { type Additions, type CommitOutcome, type FolderState, type GitStore, treeId } from '../../src/git/git-store.ts'
import type { World } from '../hubs/worlds.ts'
import { runSync } from '../run-sync.ts'

const PLACE = { owner: 'acme', name: 'code-review' }
const MESSAGE = { headline: 'Publish acme/code-review 1.0.0', trailers: [['Operation-Id', 'op-1']] } as const
const never = () => ({ signal: new AbortController().signal })

/**
 * Registers the tests.
 *
 * @param label the driver's name
 * @param open creates a repository with one commit or none
 */
export function gitStoreContract(
  label: string,
  open: (options: { isEmpty: boolean }) => Promise<Omit<World, 'contentDir'>>,
): void {
  describe(`git store contract: ${label}`, () => {
    let world: Omit<World, 'contentDir'>
    let store: GitStore
    beforeEach(async () => {
      world = await open({ isEmpty: false })
      store = world.openStore()
    })

    const read = (place = PLACE) => store.readFolder(place, never())
    const commit = (base: FolderState, rest: Partial<Additions>) =>
      store.commit({ ...PLACE, base, message: MESSAGE, version: undefined, index: undefined, ...rest }, never())
    const version = (number: string, text: string) => ({ version: { version: number, text } })
    const git = async (...args: string[]) => runSync('git', [`--git-dir=${await world.gitFolder()}`, ...args])
    const fsck = async () => expect((await git('fsck', '--full', '--strict', '--no-dangling')).toString()).toBe('')

    test('a folder without commits is empty, and its head is a commit', async () => {
      const state = await read()
      expect(state).toEqual({
        head: state.head,
        headMs: state.headMs,
        nowMs: state.nowMs,
        versions: new Map(),
        folders: new Map(),
        results: new Map(),
        index: undefined,
        ownerIndex: undefined,
        publishes: [],
      })
      expect((await git('rev-parse', 'main')).toString()).toBe(`${state.head}\n`)
    })

    test('a read at the new head returns what was committed, together with the owner’s index.md', async () => {
      await world.commitOutside({ 'content/acme/index.md': '---\nname: Acme\n---\n' })
      const before = await read()
      const outcome = await commit(before, { ...version('1.0.0', 'first'), index: 'about' })
      expect(outcome).toMatchObject({
        kind: 'committed',
        sha: expect.stringMatching(/^[0-9a-f]{40}$/),
        url: urlOf(outcome),
      })
      const after = await read()
      expect(after.head).toBe(shaOf(outcome))
      expect([...after.versions.keys()]).toEqual(['1.0.0'])
      expect(after.index).toBe('about')
      expect(after.ownerIndex).toBe('---\nname: Acme\n---\n')
      expect(Buffer.from(await store.readBlob(after.versions.get('1.0.0')!, never())).toString()).toBe('first')
    })

    test('a folder at the path of an index.md is an error, not a missing file', async () => {
      await world.commitOutside({ 'content/acme/index.md/file': 'x', 'content/other/review/index.md/file': 'x' })
      for (const owner of ['acme', 'other'])
        await expect(store.readFolder({ owner, name: 'review' }, never())).rejects.toMatchObject({
          code: 'upstream_error',
        })
    })

    test('a commit adds its own files to its base with the given message, and changes nothing else', async () => {
      const base = {
        head: await world.commitOutside({ 'content/acme/other/index.md': 'other' }),
        versions: new Map(),
      }
      const trailers = [
        ['Published-By', 'octocat'],
        ['Operation-Id', 'op-7'],
      ] as const
      const message = { headline: 'Publish acme/code-review 1.0.0', trailers }
      await commit({ ...(await read()), ...base }, { ...version('1.0.0', 'first'), index: 'about', message })
      expect((await git('show', '--format=%P%n%B', '--name-status', 'main')).toString()).toBe(
        `${base.head}\nPublish acme/code-review 1.0.0\n\nPublished-By: octocat\nOperation-Id: op-7\n\n\n` +
          'A\tcontent/acme/code-review/index.md\nA\tcontent/acme/code-review/versions/1.0.0.md\n',
      )
      expect((await git('ls-tree', 'main', 'content/acme/code-review/index.md')).toString()).toMatch(/^100644 blob /)
      await fsck()
    })

    //  case                                  content
    test.each([
      [
        'a byte order mark, CRLF, marks of git and no final newline, more than GitHub returns as text',
        `\uFEFF---\nx: 1\n---\n---\na\r\nb\tc  \r\n𝒳 👩‍👩‍👧 ü\n$Id$\n<<<<<<< HEAD\n=======\n>>>>>>> x\n${'0123456789abcdef'.repeat(33_000)}end`,
      ],
      ['NUL', 'a\0b\n'],
      ['empty content', ''],
    ])('keeps bytes: %s', async (_, text) => {
      await commit(await read(), { ...version('1.0.0', text), index: text })
      store = world.openStore()
      const state = await read()
      expect(state.index === text).toBe(true)
      const bytes = await store.readBlob(state.versions.get('1.0.0')!, never())
      expect(Buffer.from(bytes).equals(Buffer.from(text))).toBe(true)
      const stored = await git('cat-file', 'blob', 'main:content/acme/code-review/versions/1.0.0.md')
      expect(stored.equals(Buffer.from(text))).toBe(true)
    })

    test('invalid UTF-8: a version file is read exactly, an index.md is rejected', async () => {
      const latin1 = Uint8Array.from([0x63, 0x61, 0x66, 0xe9, 0x0a])
      await world.commitOutside({ 'content/acme/code-review/versions/1.0.0.md': latin1 })
      const state = await read()
      expect([...(await store.readBlob(state.versions.get('1.0.0')!, never()))]).toEqual([0x63, 0x61, 0x66, 0xe9, 0x0a])
      await world.commitOutside({ 'content/acme/code-review/index.md': latin1 })
      await expect(read()).rejects.toMatchObject({ name: 'HubError', code: 'upstream_error' })
    })

    test('a file that is longer than any of a prompt is an upstream error, and is not read', async () => {
      const refusal = { name: 'HubError', code: 'upstream_error', message: expect.stringContaining('1048576 bytes') }
      const fits = 'x'.repeat(1_048_576)
      await world.commitOutside({
        'content/acme/code-review/versions/1.0.0.md': fits,
        'content/acme/code-review/versions/1.0.1.md': `${fits}x`,
      })
      const { versions } = await read()
      expect((await store.readBlob(versions.get('1.0.0')!, never())).length).toBe(1_048_576)
      await expect(store.readBlob(versions.get('1.0.1')!, never())).rejects.toMatchObject(refusal)
      const few = { ...never(), maxBytes: 1_048_575 }
      await expect(store.readBlob(versions.get('1.0.0')!, few)).rejects.toMatchObject({
        ...refusal,
        message: expect.stringContaining('1048575 bytes'),
      })
      await world.commitOutside({ 'content/acme/code-review/index.md': `---\n---\n${fits}` })
      await expect(read()).rejects.toMatchObject(refusal)
      await world.commitOutside({
        'content/acme/code-review/index.md': '---\n---\n',
        'content/acme/index.md': 'x'.repeat(6_000_000),
      })
      await expect(read()).rejects.toMatchObject(refusal)
    })

    test('keeps the bytes of the files of a version, and lists them by path', async () => {
      const files = [
        { path: 'scripts/run.py', bytes: new Uint8Array([0, 255, 13, 10]) },
        { path: 'a/b/c/d/e/f/g/h.md', bytes: new Uint8Array(Buffer.from('\ufeffx\r\n')) },
        { path: 'empty', bytes: new Uint8Array() },
      ]
      await commit(await read(), { version: { version: '1.0.0', text: 'x', files } })
      store = world.openStore()
      const state = await read()
      expect([[...state.versions.keys()], [...state.folders.keys()]]).toEqual([['1.0.0'], ['1.0.0']])
      const listed = await store.listFolder(state.folders.get('1.0.0')!, never())
      expect([...listed.keys()].sort()).toEqual(files.map(({ path }) => path).sort())
      for (const { path, bytes } of files) {
        expect(Buffer.from(await store.readBlob(listed.get(path)!, never())).equals(bytes), path).toBe(true)
        const stored = await git('cat-file', 'blob', `main:content/acme/code-review/versions/1.0.0/${path}`)
        expect(stored.equals(bytes), path).toBe(true)
      }
      await fsck()
    })

    test('a result is one file in the folder of its version, whose ID its files determine, until it is deleted', async () => {
      await commit(await read(), version('1.0.0', 'x'))
      const before = await read()
      expect(before.results).toEqual(new Map())
      const result = { version: '1.0.0', suite: 'quality', text: 'passed: 1\n' }
      const commitResult = async (given: Additions['result']) =>
        expect(await commit(await read(), { result: given })).toMatchObject({ kind: 'committed' })
      await commitResult(result)
      // `a-b.yml` stands before `a.yml` in a tree, because git compares bytes.
      for (const suite of ['a', 'a-b']) await commitResult({ ...result, suite, text: `passed: 2 # ${suite}\n` })
      await commitResult({ ...result, text: 'passed: 3\n' })
      store = world.openStore()
      const state = await read()
      expect([...state.results.keys()]).toEqual(['1.0.0'])
      const listed = await store.listFolder(state.results.get('1.0.0')!, never())
      expect([...listed.keys()].sort()).toEqual(['a-b.yml', 'a.yml', 'quality.yml'])
      const text = Buffer.from(await store.readBlob(listed.get('quality.yml')!, never())).toString()
      expect(text).toBe('passed: 3\n')
      expect(treeId(Array.from(listed, ([name, id]) => ({ name, id })))).toBe(state.results.get('1.0.0'))
      const stored = await git('cat-file', 'blob', 'main:content/acme/code-review/results/1.0.0/quality.yml')
      expect(stored.toString()).toBe('passed: 3\n')
      const gone = (suite: string) => commitResult({ ...result, suite, text: undefined })
      await gone('quality')
      expect([...(await store.listFolder((await read()).results.get('1.0.0')!, never())).keys()]).toHaveLength(2)
      await gone('a')
      await gone('a-b')
      const left = await read()
      expect([left.results, [...left.versions.keys()]]).toEqual([new Map(), ['1.0.0']])
      const again = { ...result, suite: 'a', text: undefined }
      await expect(async () => commit(left, { result: again })).rejects.toThrow()
      expect((await read()).head).toBe(left.head)
      await fsck()
    })

    test('only version files count as versions, however many there are', async () => {
      const folder = 'content/acme/code-review/versions'
      const many = Array.from({ length: 130 }, (_, patch) => [`${folder}/1.0.${patch}.md`, `text ${patch}`])
      await world.commitOutside({
        ...Object.fromEntries(many),
        [`${folder}/README.md`]: 'x',
        [`${folder}/v2.0.0.md`]: 'x',
        [`${folder}/2.0.md`]: 'x',
        [`${folder}/3.0.0.md/x.md`]: 'x',
        [`${folder}/4.0.0.txt`]: 'x',
        [`${folder}/05.0.0.md`]: 'x',
        'content/acme/code-review-2/versions/9.0.0.md': 'x',
        'content/acme/code-review/results': 'a file',
      })
      const { versions, results } = await read()
      expect(results).toEqual(new Map())
      expect(versions.size).toBe(130)
      expect(Buffer.from(await store.readBlob(versions.get('1.0.129')!, never())).toString()).toBe('text 129')
    })

    test('writes nothing when the head has moved', async () => {
      const before = await read()
      const head = await world.commitOutside({ 'README.md': 'other words' })
      expect(await commit(before, version('1.0.0', 'late'))).toEqual({ kind: 'moved' })
      expect(await read()).toMatchObject({ head, versions: new Map() })
    })

    test('only one of several commits on the same head succeeds', async () => {
      const before = await read()
      const stores = [store, world.openStore(), world.openStore()]
      const outcomes = await Promise.all(
        stores.map((each, number) =>
          each.commit(
            { ...PLACE, base: before, message: MESSAGE, ...version('1.0.0', `${number}`), index: undefined },
            never(),
          ),
        ),
      )
      expect(outcomes.filter(({ kind }) => kind === 'committed')).toHaveLength(1)
      expect(outcomes.filter(({ kind }) => kind === 'moved' || kind === 'busy')).toHaveLength(2)
      const text = Buffer.from(await store.readBlob((await read()).versions.get('1.0.0')!, never())).toString()
      expect(text).toBe(`${outcomes.findIndex(({ kind }) => kind === 'committed')}`)
    })

    test('four publishers get four consecutive numbers, each a commit with one version file', async () => {
      const publish = async (writer: GitStore, text: string): Promise<string> => {
        for (;;) {
          const base = await writer.readFolder(PLACE, never())
          const number = nextVersion([...base.versions.keys()], 'patch')
          const outcome = await writer
            .commit({ ...PLACE, base, message: MESSAGE, ...version(number, text), index: `latest is ${text}` }, never())
            .catch((error: unknown) => {
              // On a busy machine, the others may hold the lock for too long. A client tries again then, too.
              if (error instanceof HubError && error.code === 'unavailable') return undefined
              throw error
            })
          if (outcome?.kind === 'committed') return number
        }
      }
      const numbers = await Promise.all(
        Array.from({ length: 4 }, (_, each) => publish(each % 2 ? store : world.openStore(), `text ${each}`)),
      )
      expect(numbers.sort()).toEqual(['1.0.0', '1.0.1', '1.0.2', '1.0.3'])
      const changed = (
        await git('log', '--format=', '--name-status', 'main', '--', 'content/acme/code-review/versions')
      ).toString()
      expect(changed.trim().split('\n').sort()).toEqual(
        numbers.map((number) => `A\tcontent/acme/code-review/versions/${number}.md`),
      )
      await fsck()
    })

    test('throws an internal error for what the decision should have refused', async () => {
      await world.commitOutside({ 'content/acme/code-review/versions/1.0.0.md': 'first' })
      const before = await read()
      const trailers = [['A', 'b\nOperation-Id: c']] as const
      const all: Partial<Additions>[] = [
        {},
        version('1.0.0', 'again'),
        version('../1.0.1', 'x'),
        { owner: '..', index: 'x' },
        { name: 'a/b', index: 'x' },
        { index: 'x', message: { headline: 'x', trailers } },
        { index: 'x', message: { headline: 'x\n\nOperation-Id: c', trailers: [] } },
        ...[
          { version: '2.0.0', suite: 'quality' },
          { version: '1.0.0', suite: '../x' },
          { version: '1.0.0', suite: 'nul' },
        ].map((place) => ({ result: { ...place, text: 'x' } })),
      ]
      for (const additions of all) await expect((async () => commit(before, additions))()).rejects.toThrow(Error)
      expect((await read()).head).toBe(before.head)
    })

    test('lists publishes newest first, only of this repository, and only on request', async () => {
      for (const number of ['1.0.0', '1.0.1']) {
        const trailers = [
          ['Published-By', 'octocat'],
          ['Operation-Id', `op-${number}`],
        ] as const
        await commit(await read(), { ...version(number, number), message: { headline: `Publish ${number}`, trailers } })
        await world.commitOutside({ 'content/acme/other/versions/1.0.0.md': number })
      }
      expect((await read()).publishes).toEqual([])
      const { publishes } = await store.readFolder({ ...PLACE, withPublishes: true }, never())
      expect(publishes.map(({ headline, trailers }) => [headline, ...trailers])).toEqual([
        ['Publish 1.0.1', ['Published-By', 'octocat'], ['Operation-Id', 'op-1.0.1']],
        ['Publish 1.0.0', ['Published-By', 'octocat'], ['Operation-Id', 'op-1.0.0']],
      ])
      const shas = (await git('log', '--format=%H', 'main', '--', 'content/acme/code-review'))
        .toString()
        .trim()
        .split('\n')
      expect(publishes.map(({ sha }) => sha)).toEqual(shas)
    })

    test('a missing blob is an upstream error', async () => {
      await expect(store.readBlob('0123456789012345678901234567890123456789', never())).rejects.toMatchObject({
        name: 'HubError',
        code: 'upstream_error',
      })
    })

    test('an aborted call reads and writes nothing', async () => {
      const before = await read()
      const aborted = { signal: AbortSignal.abort() }
      await expect(store.readFolder(PLACE, aborted)).rejects.toMatchObject({ name: 'HubError', code: 'unavailable' })
      const additions = { ...PLACE, base: before, message: MESSAGE, ...version('1.0.0', 'x'), index: undefined }
      expect(await store.commit(additions, aborted)).toEqual({ kind: 'busy', retryAfterSeconds: 1 })
      expect((await read()).head).toBe(before.head)
    })

    test('reports that a repository has no commits', async () => {
      const empty = (await open({ isEmpty: true })).openStore()
      await expect(empty.readFolder(PLACE, never())).rejects.toMatchObject({
        name: 'HubError',
        message: expect.stringContaining('first commit'),
      })
    })
  })
}

/** Returns the commit from an outcome. @throws Error for every other outcome */
export function shaOf(outcome: CommitOutcome): string {
  if (outcome.kind !== 'committed') throw new Error(`expected a commit, got ${outcome.kind}`)
  return outcome.sha
}

function urlOf(outcome: CommitOutcome): string | null {
  return outcome.kind === 'committed' ? outcome.url : null
}
