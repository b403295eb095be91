// Tests how one attempt makes its decision based on git: the version number, what is rejected, what needs no commit, and
// the commit message.
import { describe, expect, test } from 'vitest'
import { acceptPublish, DECIDING } from '../../../tests/publish/accept.ts'
import { HubError } from '../../domain/api/errors.ts'
import type { VersionRecord } from '../../domain/api/schema.ts'
import { readOwner } from '../../domain/publishing/repository-state.ts'
import type { FolderState, PublishMark } from '../../git/git-store.ts'
import { type AcceptedPublish, publishAsWrite } from './publish.ts'
import { isStale } from './write-to-git.ts'

const SAME = 'Review this.\n'
const fileOf = (content: string, more = '') =>
  `---\npublished_at: "2026-11-20T10:00:00Z"\npublished_by: octocat\n${more}---\n${content}`

interface Found {
  versions?: string[]
  index?: string
  ownerIndex?: string
  /** The text of the version file that the attempt reads. */
  text?: string
  publishes?: PublishMark[]
  /** The git host's time. */
  nowMs?: number
}

const folderOf = ({ versions = [], index, ownerIndex, publishes = [], nowMs }: Found): FolderState => ({
  head: 'h',
  headMs: undefined,
  nowMs,
  versions: new Map(versions.map((version) => [version, 'blob'])),
  folders: new Map(),
  tree: undefined,
  results: new Map(),
  index: index === undefined ? undefined : `---\n${index}---\n`,
  ownerIndex,
  publishes,
})

/** Runs one attempt. @returns the decision in a few words */
async function decide(accepted: AcceptedPublish, found: Found): Promise<string> {
  try {
    return say(await decided(accepted, found))
  } catch (error) {
    if (error instanceof HubError) return error.code
    throw error
  }
}

/** @param read gets the versions whose files the attempt reads */
const decided = (accepted: AcceptedPublish, found: Found, hub = DECIDING, read: string[] = []) =>
  publishAsWrite(accepted, hub).decide(folderOf(found), {
    async readVersion(version) {
      read.push(version)
      return found.text
    },
    async readWritten(version) {
      read.push(version)
      return { file: found.text, files: [] }
    },
    readOther: () => Promise.reject(new Error('these publishes include nothing')),
    call: { signal: AbortSignal.timeout(10_000) },
  })

const recordOf = (data: object) => data as VersionRecord

function say(attempt: Awaited<ReturnType<typeof decided>>): string {
  if (attempt.kind === 'commit') {
    const { version, index, message } = attempt.additions
    return [message.headline, version && 'version', index && 'index'].filter(Boolean).join(', ')
  }
  const { data, headers = {} } = attempt.answer
  const isReplay = 'Idempotency-Replayed' in headers
  return ['answer', recordOf(data).version, data.unchanged && 'unchanged', isReplay && 'replay']
    .filter(Boolean)
    .join(' ')
}

test('warns if the name of a new prompt is almost that of another, and of no other prompt', async () => {
  const search = () => ({ findNear: async () => [{ owner: 'acme', name: 'reviews' }] })
  const warned = async (found: Found) => {
    const { answer } = await decided(acceptPublish({}), found, { ...DECIDING, search } as typeof DECIDING)
    return (answer.data as unknown as { warnings: { code: string }[] }).warnings.map(({ code }) => code)
  }
  expect(await warned({})).toContain('near_name')
  expect(await warned({ versions: ['1.0.0'], text: fileOf('Old.\n') })).not.toContain('near_name')
})

const OLD: Found = { versions: ['1.0.0'], text: fileOf('Old.\n') }
const OF_SAME: Found = { versions: ['1.0.0'], text: fileOf(SAME) }
const TWO: Found = { ...OLD, versions: ['1.0.0', '1.0.1'] }
const MANY = Array.from({ length: 1_000 }, (_, patch) => `1.0.${patch}`)
const isYanked = { index: 'yanked: {"1.0.1": no}\n' }
const isFork = { index: 'forked_from: acme/code@1.0.0\n' }
const FIRST = 'Publish acme/review 1.0.0, version'
const NEXT = 'Publish acme/review 1.0.1, version'
const MINOR = 'Publish acme/review 1.1.0, version'
const SECOND = 'Publish acme/review 1.0.2, version'

//  case                                  body                    state of git  result
test.each<[string, Record<string, unknown>, Found, string]>([
  ['the first version', { bump: 'major' }, {}, FIRST],
  ['the next patch', {}, OLD, NEXT],
  [
    'versions as numbers',
    { bump: 'minor' },
    { ...OLD, versions: ['1.10.0', '1.9.0'] },
    NEXT.replace('1.0.1', '1.11.0'),
  ],
  ['above a yanked number', {}, { ...TWO, ...isYanked, text: fileOf(SAME) }, 'answer 1.0.0 unchanged'],
  ['a yanked number is not reused', {}, { ...TWO, ...isYanked }, SECOND],
  ['all yanked: the highest is bumped', {}, { versions: ['1.0.0'], index: 'yanked: {"1.0.0": no}\n' }, MINOR],
  ['unchanged content', {}, OF_SAME, 'answer 1.0.0 unchanged'],
  ['unchanged content with another title', { title: 'New' }, OF_SAME, 'Update acme/review, index'],
  ['unchanged content with the current title', { title: 'Review' }, OF_SAME, 'answer 1.0.0 unchanged'],
  ['new content with tags', { tags: ['x'] }, OLD, `${NEXT}, index`],
  ['unchanged content with other parameters', { parameters: { a: 1 } }, OF_SAME, MINOR],
  ['a fork', { forked_from: 'acme/code@1.0.0' }, {}, `${FIRST}, index`],
  ['a fork of an existing prompt', { forked_from: 'acme/code@1.0.0' }, OLD, 'validation_failed'],
  ['the same fork', { forked_from: 'acme/code@1.0.0' }, { ...OF_SAME, ...isFork }, 'answer 1.0.0 unchanged'],
  ['a dry run', { dry_run: true }, OLD, 'answer 1.0.1'],
  ['a dry run of the first version', { dry_run: true }, {}, 'answer 1.0.0'],
  ['the expected version', { expected_version: '1.0.0' }, OLD, NEXT],
  ['another version than expected', { expected_version: '1.0.0' }, TWO, 'version_conflict'],
  ['a yanked version expected', { expected_version: '1.0.1' }, { ...TWO, ...isYanked }, 'version_conflict'],
  ['a version expected, none exists', { expected_version: '1.0.0' }, {}, 'version_conflict'],
  ['another version than expected, with the same content', { expected_version: '0.9.0' }, OF_SAME, 'version_conflict'],
  ['a conflict in a dry run', { expected_version: '0.9.0', dry_run: true }, OLD, 'version_conflict'],
  ['no version expected, none exists', { expected_version: null }, {}, FIRST],
  ['no version expected, one exists', { expected_version: null }, OLD, 'version_conflict'],
  ['deprecated', {}, { ...OLD, index: 'status: deprecated\n' }, NEXT],
  ['archived', {}, { versions: ['1.0.0'], index: 'status: archived\n' }, 'repo_archived'],
  ['archived, in a dry run', { dry_run: true }, { ...OLD, index: 'status: archived\n' }, 'repo_archived'],
  ['archived, with the same content', { title: 'New' }, { ...OF_SAME, index: 'status: archived\n' }, 'repo_archived'],
  ['moved away', {}, { versions: ['1.0.0'], index: 'moved_to: acme/other\n' }, 'repo_archived'],
  ['index.md is broken', {}, { versions: ['1.0.0'], index: 'titel: x\n' }, 'upstream_error'],
  ['the latest version is broken', {}, { versions: ['1.0.0'], text: 'no front matter' }, 'upstream_error'],
  ['the latest version has no file', {}, { versions: ['1.0.0'] }, 'upstream_error'],
  ['beyond six digits', {}, { ...OLD, versions: ['1.0.999999'] }, 'validation_failed'],
  ['more than 1000 versions', {}, { ...OLD, versions: MANY }, 'validation_failed'],
  ['unchanged with 1000 versions', {}, { ...OF_SAME, versions: MANY }, 'answer 1.0.999 unchanged'],
  [
    'unchanged content with the current variables and tags',
    { variables: [], tags: [] },
    OF_SAME,
    'answer 1.0.0 unchanged',
  ],
  ['an empty list of files, without a skill', { files: [] }, OLD, NEXT],
  ['content without its last byte', {}, { versions: ['1.0.0'], text: fileOf(SAME.trim()) }, NEXT],
  ['content after a byte order mark', {}, { versions: ['1.0.0'], text: fileOf(`\ufeff${SAME}`) }, NEXT],
])('%s', async (_, body, found, expected) => {
  expect(await decide(acceptPublish({ body }), found)).toBe(expected)
})

test.each<[string[], string | null]>([
  [['1.0.0', '1.0.1'], null],
  [['0.9.0', '1.0.0', '1.0.1'], '0.9.0'],
])('unchanged content of %j names the version before it, not the highest', async (versions, expected) => {
  const attempt = await decided(acceptPublish({}), { versions, ...isYanked, text: fileOf(SAME) })
  expect(attempt.kind === 'answer' && recordOf(attempt.answer.data).previous_version).toBe(expected)
})

test('a name that is reserved on Windows is refused to a new prompt alone', async () => {
  const accepted = acceptPublish({ name: 'con' })
  expect([await decide(accepted, {}), await decide(accepted, OLD)]).toEqual([
    'not_found',
    NEXT.replace('review', 'con'),
  ])
})

const KEPT = { temperature: 0.2 }
//  case                                    body                                   names and descriptions   parameters
test.each<[string, Record<string, unknown>, string[][], object]>([
  [
    'unused variables go, new ones come',
    { content: '{{kept}} {{added}}\n' },
    [
      ['kept', 'Stays.'],
      ['added', ''],
    ],
    KEPT,
  ],
  ['given variables stay, even if unused', { variables: [{ name: 'other' }] }, [['other', '']], KEPT],
  ['given parameters replace the others', { parameters: { top_p: 1 } }, [], { top_p: 1 }],
])('carries over variables and parameters: %s', async (_, body, variables, parameters) => {
  const more = 'variables: [{name: kept, description: Stays.}, {name: gone}]\nparameters: {temperature: 0.2}\n'
  // The latest version is the highest that is not yanked.
  const found = {
    versions: ['1.0.0', '2.0.0'],
    index: 'yanked: {"2.0.0": no}\n',
    text: fileOf('{{kept}} {{gone}}\n', more),
  }
  const read: string[] = []
  const attempt = await decided(acceptPublish({ body: { bump: 'patch', ...body } }), found, DECIDING, read)
  if (attempt.kind !== 'commit') throw new Error('expected a commit')
  const record = recordOf(attempt.answer.data)
  expect(record.variables.map(({ name, description }) => [name, description])).toEqual(variables)
  expect([record.parameters, record.previous_version, record.version]).toEqual([parameters, '2.0.0', '2.0.1'])
  expect(read).toEqual(['1.0.0'])
})

describe('a token in the latest version that was committed directly to git', () => {
  // A token consists of 32 random characters and their checksum.
  const token = `hub_${'Ab3'.repeat(10)}xy1XJz7x`
  const declared = `variables: [{name: key, default: ${token}}]\n`
  test.each<[string, Record<string, unknown>, string, string]>([
    ['does not carry over with parameters', {}, `parameters: {key: ${token}}\n`, 'validation_failed'],
    ['does not carry over with variables', {}, declared, 'validation_failed'],
    ['goes with a variable', { content: 'New.' }, declared, 'Publish acme/review 2.0.0, version'],
    ['goes with parameters', { parameters: {} }, `parameters: {key: ${token}}\n`, 'Publish acme/review 1.1.0, version'],
  ])('%s', async (_, body, more, expected) => {
    const found = { versions: ['1.0.0'], text: fileOf('Old {{key}}.\n', more) }
    expect(await decide(acceptPublish({ body: { content: 'New {{key}}.\n', ...body } }), found)).toBe(expected)
  })
})

test('the commit records the publisher, version and request, and adds a matching version file', async () => {
  const accepted = acceptPublish({
    arrivedMs: Date.UTC(2026, 10, 21, 9, 8, 7),
    idempotency: { key: 'k', request: 'r' },
  })
  const attempt = await decided(accepted, {})
  if (attempt.kind !== 'commit') throw new Error('expected a commit')
  expect(attempt.additions.message).toEqual({
    headline: 'Publish acme/review 1.0.0',
    trailers: [
      ['Version', '1.0.0'],
      ['Published-By', 'acme'],
      ['Idempotency-Key', 'k'],
      ['Request-Digest', 'r'],
    ],
  })
  expect(attempt.additions.version?.text).toBe(
    '---\npublished_at: "2026-11-21T09:08:07Z"\npublished_by: acme\nchangelog: ""\nparameters: {}\n---\nReview this.\n',
  )
})

//  case                                                       own clock   git host's   latest version   new version
test.each([
  ['this machine’s clock, if it is the git host', '21T09:08', undefined, '20T10:00', '21T09:08'],
  ['not before the version it follows, after the clock was set back', '01T00:00', undefined, '20T10:00', '20T10:00'],
  ['the git host’s clock, if this machine’s is ahead', '29T00:00', '21T09:08', '20T10:00', '21T09:08'],
  ['the git host’s clock, if this machine’s was set back', '01T00:00', '21T09:08', '20T10:00', '21T09:08'],
  ['not before the version it follows, four minutes ahead', '21T00:00', '21T00:00', '21T00:04', '21T00:04'],
  ['before the version it follows, if that is a week ahead', '21T00:00', '21T00:00', '28T00:00', '21T00:00'],
])('a version is dated by %s', async (_, own, host, latest, expected) => {
  const timeOf = (text: string) => `2026-11-${text}:00Z`
  const attempt = await decided(acceptPublish({ arrivedMs: Date.parse(timeOf(own)) }), {
    versions: ['1.0.0'],
    text: `---\npublished_at: "${timeOf(latest)}"\npublished_by: acme\n---\nOld\n`,
    ...(host !== undefined && { nowMs: Date.parse(timeOf(host)) }),
  })
  if (attempt.kind !== 'commit') throw new Error('expected a commit')
  expect(/published_at: "(.*)"/.exec(attempt.additions.version?.text ?? '')?.[1]).toBe(timeOf(expected))
})

describe('a request with an Idempotency-Key', () => {
  const mark = (key: string, request: string, headline = 'Publish acme/review 1.0.0'): PublishMark => ({
    sha: 'c',
    url: null,
    atMs: undefined,
    headline,
    trailers: new Map([
      ['Version', '1.0.0'],
      ['Idempotency-Key', key],
      ['Request-Digest', request],
    ]),
  })
  const found = { versions: ['1.0.0', '1.1.0'], text: fileOf(SAME) }
  const accepted = acceptPublish({ idempotency: { key: 'k', request: 'r' } })
  //  case                                           earlier publishes                                           result
  test.each<[string, PublishMark[], string]>([
    ['with another key than earlier ones', [mark('other', 'r')], 'answer 1.1.0 unchanged'],
    [
      'repeated: returns the version from then, not the latest',
      [mark('other', 'x'), mark('k', 'r')],
      'answer 1.0.0 replay',
    ],
    [
      'repeated after it changed only index.md',
      [mark('k', 'r', 'Update acme/review')],
      'answer 1.0.0 unchanged replay',
    ],
    ['used for another body', [mark('k', 'x')], 'idempotency_key_reused'],
  ])('%s', async (_, publishes, expected) => {
    expect(await decide(accepted, { ...found, publishes })).toBe(expected)
  })
})

describe('who may publish', () => {
  const bearerOf = (login: string) => ({
    ...acceptPublish({}).bearer,
    login,
    holder: { kind: 'person' as const, login, user_id: '7' },
  })
  //  case                                     login        the owner's index.md                          result
  test.each<[string, string, string | undefined, string]>([
    ['to their own handle', 'acme', undefined, 'Publish acme/review 1.0.0, version'],
    ['to their own handle, without members', 'acme', '---\nname: Acme\n---\n', 'Publish acme/review 1.0.0, version'],
    ['to their own handle, with other members', 'acme', '---\nmembers: [octocat]\n---\n', 'forbidden'],
    ['to their own handle, bound to another user ID', 'acme', '---\nmembers: [8]\n---\n', 'forbidden'],
    [
      'to their own handle, bound to their user ID',
      'acme',
      '---\nmembers: [7]\n---\n',
      'Publish acme/review 1.0.0, version',
    ],
    ['to their own handle, whose file nobody can read', 'acme', '---\nmember: [x]\n---\n', 'upstream_error'],
    ['a member', 'octocat', '---\nmembers: [octocat]\n---\n', 'Publish acme/review 1.0.0, version'],
    ['nobody of theirs', 'octocat', '---\nmembers: [hubot]\n---\n', 'forbidden'],
    ['where the owner says nothing', 'octocat', undefined, 'forbidden'],
    ['where nobody can read what the owner says', 'octocat', '---\nmember: [octocat]\n---\n', 'upstream_error'],
  ])('%s', async (_, login, ownerIndex, expected) => {
    expect(await decide(acceptPublish({ bearer: bearerOf(login) }), { ownerIndex })).toBe(expected)
  })
})

describe('while nobody can read the owner’s file, nobody may publish', () => {
  const job = {
    kind: 'job' as const,
    repositoryId: '12',
    jti: 'a',
    endsMs: 0,
    actor: undefined,
    findRefusal: () => undefined,
    isTrusted: () => true,
  }
  test.each([
    ['an operator’s token', { kind: 'operator' as const }],
    ['the owner', { kind: 'person' as const, login: 'acme', user_id: '7' }],
    ['a trusted workflow', job],
  ])('%s', async (_, holder) => {
    const bearer = { ...acceptPublish({}).bearer, holder }
    for (const ownerIndex of ['---\nprotected_label: [stable]\n---\n', '---\nname: [\n---\n', 'no front matter'])
      expect(await decide(acceptPublish({ bearer }), { ownerIndex })).toBe('upstream_error')
  })
})

test('an owner’s file is parsed once, and a broken one names the owner whose it is', () => {
  const text = '---\nname: Acme\n---\n'
  expect(readOwner('acme', text)).toBe(readOwner('acme', text))
  expect(readOwner('acme', text)).not.toEqual(readOwner('acme', '---\nname: Acme Labs\n---\n'))
  for (const owner of ['acme', 'other']) expect(() => readOwner(owner, 'no front matter')).toThrow(`${owner}/index.md`)
})

test('a listing is stale when it lacks a version that was already reported as published', () => {
  const known = { versions: [{ version: '1.0.0' }, { version: '1.0.1' }] }
  expect(isStale(known, folderOf({ versions: ['1.0.0'] }))).toBe(true)
  expect(isStale(known, folderOf({ versions: ['1.0.0', '1.0.1', '1.0.2'] }))).toBe(false)
})
