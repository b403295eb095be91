// Tests the exact records of a repository and its owner, with all fields and with as few as possible. See
// docs/contract.md section 3.
import { describe, expect, test } from 'vitest'
import { build, full } from '../../tests/fixtures/catalogues.ts'
import { anIndex, anOwner, aRepository, aTree, aVersion } from '../../tests/fixtures/records.ts'
import { BARE_REPOSITORY, REPOSITORY, SUMMARY } from '../../tests/fixtures/repository-fields.ts'

describe('repository records', () => {
  const catalogue = build(aTree([full], { usage: { 'acme/code-review': [3, 40] } }))
  const entry = catalogue.entries.get('acme/code-review')!

  test('summary', () => expect(entry.summary).toStrictEqual(SUMMARY))

  test('detail', () => {
    expect(entry.repository).toStrictEqual(REPOSITORY)
  })

  test('list of versions: highest first, with yanked ones included and marked', () => {
    expect(
      entry.versions.map(({ summary: { version, yanked, yank_reason } }) => [version, yanked, yank_reason]),
    ).toEqual([
      ['1.10.0', true, 'Leaks the diff'],
      ['1.2.0', false, null],
      ['1.0.0', false, null],
    ])
    expect(entry.versions[1]?.summary).toStrictEqual({
      version: '1.2.0',
      changelog: 'Asks for a severity',
      published_at: '2026-11-03T10:00:00Z',
      available_at: '2026-11-03T10:00:00Z',
      published_by: 'mona',
      content_sha256: 'b'.repeat(64),
      size_bytes: 15,
      yanked: false,
      yank_reason: null,
      provenance: {
        issuer: 'i',
        repository: 'acme/prompts',
        workflow: 'w.yml',
        ref: 'refs/heads/main',
        sha: 'c0ffee',
        run_id: '7',
      },
      model_status: null,
      included: [],
      url: 'https://hub.test/api/v1/repos/acme/code-review/versions/1.2.0',
      raw_url: 'https://hub.test/api/v1/repos/acme/code-review/raw?version=1.2.0',
    })
  })

  test('single version: does not say whether it was yanked', () => {
    expect(entry.versions[1]?.record).toStrictEqual({
      owner: 'acme',
      name: 'code-review',
      full_name: 'acme/code-review',
      version: '1.2.0',
      previous_version: '1.0.0',
      content: 'Review {{code}}',
      content_sha256: 'b'.repeat(64),
      size_bytes: 15,
      format: 'text',
      messages: null,
      skill: null,
      files: [],
      bundle_sha256: null,
      includes: [],
      variables: [
        {
          name: 'code',
          description: 'The code',
          type: 'string',
          required: true,
          default: null,
          options: [],
          example: 'x',
        },
      ],
      parameters: { temperature: 0.2 },
      changelog: 'Asks for a severity',
      published_at: '2026-11-03T10:00:00Z',
      published_by: 'mona',
      provenance: {
        issuer: 'i',
        repository: 'acme/prompts',
        workflow: 'w.yml',
        ref: 'refs/heads/main',
        sha: 'c0ffee',
        run_id: '7',
      },
      attestations: [],
      publisher: { repository: 'acme/prompts', workflow: 'w.yml' },
      url: 'https://hub.test/api/v1/repos/acme/code-review/versions/1.2.0',
      raw_url: 'https://hub.test/api/v1/repos/acme/code-review/raw?version=1.2.0',
    })
    expect(entry.versions[0]?.record).toMatchObject({
      version: '1.10.0',
      previous_version: '1.2.0',
      provenance: null,
      content: 'Text of 1.10.0\n',
    })
    expect(entry.versions[2]?.record).toMatchObject({ version: '1.0.0', previous_version: null })
  })

  test('every record has exactly the expected keys, in order', () => {
    expect(Object.keys(entry.summary)).toEqual(Object.keys(SUMMARY))
    expect(Object.keys(entry.repository)).toEqual(Object.keys(REPOSITORY))
    expect(Object.keys(entry.repository.variables[0]!).join(' ')).toBe(
      'name description type required default options example',
    )
    expect(Object.keys(entry.versions[0]!.summary).join(' ')).toBe(
      'version changelog published_at available_at published_by content_sha256 size_bytes yanked yank_reason provenance model_status included url raw_url',
    )
    expect(Object.keys(entry.versions[0]!.record).join(' ')).toBe(
      'owner name full_name version previous_version content content_sha256 size_bytes format messages skill files bundle_sha256 includes variables parameters changelog published_at published_by provenance attestations publisher url raw_url',
    )
    expect(Object.keys(catalogue.tags[0]!).join(' ')).toBe('name count url')
    expect(Object.keys(catalogue.users.get('acme')!).join(' ')).toBe(
      'handle name bio website avatar_url html_url repos_count repos',
    )
    expect(Object.keys(entry.summary.stats!).join(' ')).toBe('downloads_7d downloads_90d')
    expect(Object.keys(entry.versions[1]!.record.provenance!).join(' ')).toBe(
      'issuer repository workflow ref sha run_id',
    )
  })
})

test('without index.md and usage counts: the title comes from the name, other fields have their defaults', () => {
  const entry = build(aTree([aRepository('acme/code-review')])).entries.get('acme/code-review')!
  expect(entry.repository).toStrictEqual(BARE_REPOSITORY)
  expect([entry.isListed, entry.replacedBy]).toEqual([true, null])
})

test('without an active version: null fields, and not listed', () => {
  const file = anIndex({ yanked: { '1.0.0': 'a', '1.1.0': 'b' }, tags: ['gone'] })
  const catalogue = build(aTree([aRepository('acme/gone', { file, versions: [aVersion('1.0.0'), aVersion('1.1.0')] })]))
  const { repository, versions, isListed } = catalogue.entries.get('acme/gone')!
  expect(repository).toMatchObject({
    latest_version: null,
    content: null,
    content_sha256: null,
    size_bytes: null,
    format: 'text',
    messages: null,
    skill: null,
    files: [],
    bundle_sha256: null,
    includes: [],
    variables: [],
    parameters: {},
    versions: [],
    versions_count: 2,
    created_at: '2026-11-01T10:00:00Z',
  })
  expect(versions.map(({ summary: { version, yanked } }) => [version, yanked])).toEqual([
    ['1.1.0', true],
    ['1.0.0', true],
  ])
  expect(versions.map(({ record: { version, content } }) => [version, content])).toEqual([
    ['1.1.0', 'Text of 1.1.0\n'],
    ['1.0.0', 'Text of 1.0.0\n'],
  ])
  expect([isListed, catalogue.listed.top, catalogue.listed.trending, catalogue.listed.new, catalogue.tags]).toEqual([
    false,
    [],
    [],
    [],
    [],
  ])
  expect(catalogue.users.get('acme')).toMatchObject({ repos_count: 0, repos: [] })
})

describe('users', () => {
  const catalogue = build(
    aTree(
      [
        aRepository('zoe/only'),
        aRepository('acme/older', { versions: [aVersion('1.0.0', { published_at: '2026-01-01T00:00:00Z' })] }),
        aRepository('acme/newer', { versions: [aVersion('1.0.0', { published_at: '2026-02-01T00:00:00Z' })] }),
      ],
      {
        owners: {
          acme: anOwner({
            name: 'Acme',
            website: 'https://acme.test',
            avatar_url: 'https://acme.test/a.png',
            bio: 'We review.',
            members: ['octocat'],
          }),
          nobody: anOwner(),
        },
        usage: { 'acme/older': [9, 99] },
      },
    ),
  )

  test('lists everyone with a repository or a profile, sorted by handle', () => {
    expect([...catalogue.users.keys()]).toEqual(['acme', 'nobody', 'zoe'])
  })

  test('with a profile: newest update first, and members stay private', () => {
    const { repos, ...user } = catalogue.users.get('acme')!
    expect(user).toStrictEqual({
      handle: 'acme',
      name: 'Acme',
      bio: 'We review.',
      website: 'https://acme.test',
      avatar_url: 'https://acme.test/a.png',
      html_url: 'https://hub.test/acme',
      repos_count: 2,
    })
    expect(repos.map(({ name }) => name)).toEqual(['newer', 'older'])
    expect(repos[0]).toStrictEqual(catalogue.entries.get('acme/newer')!.summary)
  })

  test('without a profile: null fields', () => {
    expect(catalogue.users.get('zoe')).toMatchObject({
      name: null,
      bio: null,
      website: null,
      avatar_url: null,
      repos_count: 1,
    })
    expect(catalogue.users.get('nobody')).toStrictEqual({
      handle: 'nobody',
      name: null,
      bio: null,
      website: null,
      avatar_url: null,
      html_url: 'https://hub.test/nobody',
      repos_count: 0,
      repos: [],
    })
  })
})
