// Tests how index.md is read and edited. See docs/contract.md section 2.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyText } from '../../../tests/fixtures/records.ts'
import { INDEX, INDEX_DEFAULTS, INDEX_TEXT } from '../../../tests/fixtures/repository-fields.ts'
import { editRepositoryFile, parseOwnerFile, parseRepositoryFile } from './prompt-file.ts'

describe('reading index.md', () => {
  test('reads a repository file with every field', () => {
    expect(parseRepositoryFile(INDEX_TEXT)).toEqual({ value: INDEX })
  })

  test('applies the defaults to an empty repository file', () => {
    expect(parseRepositoryFile('---\n---\n')).toEqual({ value: INDEX_DEFAULTS })
  })

  test('reads an owner file with every field', () => {
    const text = `---
name: Acme Engineering
website: https://acme.example
avatar_url: https://acme.example/a.png
members: [octocat, api]
trusted_publishers:
  - repository: acme/prompts
    repository_id: 123
    repository_owner_id: "9007199254740993"
    workflow: publish.yml
    environment: production
    repos: [code-review]
---
We **review**.
`
    expect(parseOwnerFile(text)).toEqual({
      value: {
        name: 'Acme Engineering',
        website: 'https://acme.example',
        avatar_url: 'https://acme.example/a.png',
        members: ['octocat', 'api'],
        trusted_publishers: [
          {
            repository: 'acme/prompts',
            repository_id: '123',
            repository_owner_id: '9007199254740993',
            workflow: 'publish.yml',
            environment: 'production',
            repos: ['code-review'],
            permissions: ['publish'],
          },
        ],
        protected_labels: [],
        publishing: null,
        bio: 'We **review**.',
      },
    })
  })

  test('applies the defaults to an empty owner file', () => {
    expect(parseOwnerFile('---\n---')).toEqual({
      value: {
        name: null,
        website: null,
        avatar_url: null,
        members: [],
        trusted_publishers: [],
        protected_labels: [],
        publishing: null,
        bio: '',
      },
    })
  })
})

describe('editing index.md', () => {
  test('sets keys and leaves everything else unchanged', () => {
    const text = '---\n# why\ntitle: Old\n# two\ntags:\n  - a\nlabels:\n  production: "1.0.0"\n---\n\n# Notes\r\n---\n'
    expect(editRepositoryFile(text, { title: 'New: a', license: 'MIT' })).toBe(
      '---\n# why\ntitle: "New: a"\n# two\ntags:\n  - a\nlabels:\n  production: "1.0.0"\nlicense: MIT\n---\n\n# Notes\r\n---\n',
    )
  })

  test('creates the file when it does not exist', () => {
    expect(editRepositoryFile(undefined, { title: '2026-01-01', tags: ['a'] })).toBe(
      '---\ntitle: "2026-01-01"\ntags:\n  - a\n---\n',
    )
  })

  test('reads back every key that it sets and keeps the other keys', () => {
    const line = anyText.filter((text) => !/[\p{Cc}\ufffe\uffff]/u.test(text) && [...text].length <= 200)
    const changes = fc.record(
      {
        title: line.filter((text) => text.trim() !== ''),
        description: line,
        tags: fc.constantFrom<string[]>([], ['a'], ['null', '1', 'yes']),
        license: fc.constantFrom('MIT', null),
      },
      { requiredKeys: [] },
    )
    const file = fc
      .constantFrom(
        '---\n---\n',
        '---\n---',
        '---\n# alone\n---\nNotes',
        '---\r\ntitle: Old\r\nlabels: {production: "1.0.0"}\r\n---\r\nNotes\r\n',
        '---\ntitle: |\n  Old\ntags:\n- a\n- b\n---\n---\nNotes\n---',
        '---\n{title: Old, yanked: {"1.0.0": why}}\n---\nNotes',
      )
      .filter((text) => parseRepositoryFile(text).value !== undefined)
    fc.assert(
      fc.property(file, changes, (text, given) => {
        expect(parseRepositoryFile(editRepositoryFile(text, given))).toEqual({
          value: { ...parseRepositoryFile(text).value, ...given },
        })
        expect(parseRepositoryFile(editRepositoryFile(undefined, given)).value).toMatchObject(given)
      }),
      { numRuns: 50 },
    )
  })
})
