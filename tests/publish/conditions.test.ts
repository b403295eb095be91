// Tests the options and preconditions of a publish: an expected version, a dry run, and what an archived repository
// rejects. See docs/contract.md section 7.
import { beforeEach, describe, expect, test } from 'vitest'
import { REPOSITORY } from '../hubs/publishing.ts'
import { commits, hub, INDEX, open, versionFile, versionPath } from './open-rules.ts'

describe('expected_version', () => {
  beforeEach(() =>
    open({
      [versionPath('1.0.0')]: versionFile('Old\n'),
      [versionPath('1.1.0')]: versionFile('Yanked\n'),
      [INDEX]: '---\nyanked:\n  "1.1.0": Wrong\n---\n',
    }),
  )

  //  case                              to                    expected   status
  test.each([
    ['the latest version', 'acme/code-review', '1.0.0', 201],
    ['a yanked version', 'acme/code-review', '1.1.0', 409],
    ['a version that never existed', 'acme/code-review', '1.0.1', 409],
    ['null for an existing repository', 'acme/code-review', null, 409],
    ['null for a new repository', 'acme/new-one', null, 201],
    ['a version of a new repository', 'acme/new-one', '1.0.0', 409],
  ])('%s', async (_, to, expected_version, status) => {
    const answer = await hub.publish({ content: 'New\n', expected_version }, { to })
    expect([answer.status, answer.code]).toEqual([status, status === 409 ? 'version_conflict' : undefined])
    expect(await commits()).toBe(status === 409 ? 1 : 2)
    expect(
      (await hub.publish({ content: 'New\n', expected_version, dry_run: true }, { to: 'acme/other' })).status,
    ).toBe(expected_version === null ? 200 : 409)
  })

  test('reports a conflict before "unchanged"', async () => {
    expect((await hub.publish({ content: 'Old\n', expected_version: '0.9.0' })).code).toBe('version_conflict')
  })
})

describe('dry_run', () => {
  beforeEach(() => open({ [versionPath('1.0.0')]: versionFile('Old\n') }))

  test('returns the expected result and writes nothing', async () => {
    await hub.build()
    const keysBefore = (await hub.state.list('fresh/')).keys
    const answer = await hub.publish({ content: 'New\n', bump: 'minor', title: 'Other', dry_run: true })
    expect([answer.status, answer.version]).toEqual([200, '1.1.0'])
    expect(answer.data).toMatchObject({ unchanged: false, commit: null, previous_version: '1.0.0', content: 'New\n' })
    expect(answer.headers.get('Location')).toBe(null)
    expect(await commits()).toBe(1)
    expect((await hub.state.list('fresh/')).keys).toEqual(keysBefore)
    expect((await hub.readRepository('/raw')).text).toBe('Old\n')
    expect((await hub.readRepository('/versions/1.1.0')).status).toBe(404)
    expect((await hub.publish({ content: 'New\n', bump: 'minor' })).version).toBe('1.1.0')
  })

  //  case                 body                                            options                status   code
  test.each([
    ['an invalid field', { content: 'x', bump: 'huge' }, {}, 422, 'validation_failed'],
    ['a conflict', { content: 'x', expected_version: '7.0.0' }, {}, 409, 'version_conflict'],
    ['another owner', { content: 'x' }, { to: 'bcme/x' }, 403, 'forbidden'],
    ['no token', { content: 'x' }, { token: null }, 401, 'unauthorized'],
  ])('returns the same error as a publish: %s', async (_, body, sending, status, code) => {
    const answer = await hub.publish({ ...body, dry_run: true }, sending)
    expect([answer.status, answer.code]).toEqual([status, code])
  })

  test('false publishes normally', async () => {
    expect((await hub.publish({ content: 'New\n', dry_run: false })).status).toBe(201)
  })
})

describe('publishing by repository status', () => {
  //  status         publishing
  test.each([
    ['active', 201],
    ['deprecated', 201],
    ['archived', 409],
  ])('%s', async (status, expected) => {
    await open({ [INDEX]: `---\nstatus: ${status}\n---\n`, [versionPath('1.0.0')]: versionFile('Old\n') })
    for (const dry_run of [true, false]) {
      const answer = await hub.publish({ content: 'New\n', dry_run })
      expect(answer.status).toBe(expected === 201 && dry_run ? 200 : expected)
      expect(answer.code).toBe(expected === 409 ? 'repo_archived' : undefined)
    }
    expect((await hub.publish({ content: 'Old\n', title: 'Other' })).status).toBe(expected === 409 ? 409 : 201)
  })

  test('returns 502 when files on the branch cannot be parsed', async () => {
    await open({
      [INDEX]: '---\nnonsense: 1\n---\n',
      [versionPath('1.0.0')]: versionFile('Old\n'),
      'content/acme/broken-version/versions/1.0.0.md': 'not front matter\n',
    })
    for (const to of [REPOSITORY, 'acme/broken-version']) {
      const answer = await hub.publish({ content: 'New\n' }, { to })
      expect([answer.status, answer.code]).toEqual([502, 'upstream_error'])
      expect(answer.message).toContain(`content/${to}/`)
    }
    expect(await commits()).toBe(1)
  })
})
