// Tests the text that a change to an owner writes: it reads as what was asked, and every other line stays as it was.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseOwnerFile } from '../content/prompt-file.ts'
import { decideOwnerChange } from './owner-decision.ts'
import { readOwnerChange } from './owner-request.ts'

const KEPT = [
  '# ours',
  '  # the founder',
  'protected_labels: [stable, production] # never move',
  'website: "https://acme.example"',
]
const FILES = ['\n', '\r\n'].map((end) =>
  [
    '---',
    KEPT[0],
    'name: Acme # kept',
    'members:',
    KEPT[1],
    '  - alice',
    '  - 583231',
    KEPT[2],
    KEPT[3],
    '---',
    '',
    'We review.',
    '',
  ].join(end),
)

const text = fc.string({
  unit: fc.constantFrom(...':#-[]{}"\'&*!|>%@`~ \\\u00e9\u200f\u{1f600}a0', 'null', 'true', '1e3', '---'),
})
const name = text.filter((given) => given.length <= 200 && given.trim() !== '')
const bio = fc.string({ unit: fc.constantFrom('\n', '---', 'a', ' ', '#', 'members: [mallory]', '\r\n') })
const login = fc.stringMatching(/^[a-z0-9]{1,39}$/)
const patch = fc.record(
  {
    name: fc.option(name),
    bio: fc.option(bio),
    members: fc.uniqueArray(fc.oneof(login, fc.integer({ min: 1 })), { minLength: 1, maxLength: 5 }),
    publishing: fc.constantFrom('trusted-only', 'signed-only', 'semver', ['semver', 'trusted-only'], null),
    trusted_publishers: fc.option(
      fc.array(
        fc.record({
          repository: fc.constant('octo/prompts'),
          workflow: fc.constant('publish.yml'),
          repository_id: fc.integer({ min: 1 }),
          repository_owner_id: fc.constant('9007199254740993'),
          environment: fc.stringMatching(/^[ -~]{1,40}$/),
        }),
        { maxLength: 3 },
      ),
    ),
  },
  { requiredKeys: [] },
)

test('any change reads as what was asked, and leaves every line that it does not name', () => {
  fc.assert(
    fc.property(fc.constantFrom(...FILES, undefined), patch, (before, wanted) => {
      const { fields } = readOwnerChange(JSON.stringify(wanted))
      const { indexText = before, file } = decideOwnerChange(fields, 'acme', before)
      const after = indexText === undefined ? undefined : parseOwnerFile(indexText).value
      if (after) expect(after).toEqual(file)
      if (wanted.name !== undefined) expect(file.name).toBe(wanted.name)
      if (wanted.bio !== undefined) expect(file.bio).toBe((wanted.bio ?? '').trim())
      if (wanted.members !== undefined) expect(file.members).toEqual(wanted.members)
      if (wanted.publishing !== undefined) expect(file.publishing).toEqual(wanted.publishing)
      if (wanted.trusted_publishers !== undefined)
        expect(file.trusted_publishers).toMatchObject(
          (wanted.trusted_publishers ?? []).map(({ repository_id, ...rest }) => ({
            ...rest,
            repository_id: String(repository_id),
          })),
        )
      if (before === undefined) return
      const end = before.includes('\r\n') ? '\r\n' : '\n'
      const kept = KEPT.filter((line) => wanted.members === undefined || line !== KEPT[1])
      for (const line of kept) expect(indexText).toContain(`${end}${line}${end}`)
      if (wanted.bio === undefined) expect(indexText).toMatch(/\r?\n---\r?\n\r?\nWe review\.\r?\n$/)
      if (wanted.name === undefined) expect(indexText).toContain(`${end}name: Acme # kept${end}`)
    }),
    { numRuns: 30 },
  )
})

test('what is already so changes no byte', () => {
  const [file] = FILES
  const fields = { name: 'Acme', bio: 'We review.', members: ['alice', 583231], publishing: null }
  expect(decideOwnerChange(readOwnerChange(JSON.stringify(fields)).fields, 'acme', file).indexText).toBe(undefined)
})
