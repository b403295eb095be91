// Tests the findings for a content change: an invalid change reports exactly its rule, file and line, and a valid one
// reports nothing. One review finds what many changes break, because a review and its repository take long to start.
import { describe, expect, test } from 'vitest'
import type { ReviewEntry } from '../../src/review/rules/review-findings.ts'
import { A, ADVICE, GOOD_INDEX, good, index, LANGUAGE, NEXT, openReviewed, TEXT, version } from './reviewed.ts'

const { put, review, reviewTogether, said, git } = openReviewed(64)
const nameEntry = ({ file, line, rule }: ReviewEntry) => `${file}:${line} ${rule}`
/** Owners with the same prompts have near duplicates. */
const isOwn = ({ rule }: ReviewEntry) => rule !== 'near-duplicate'

const TOKEN = `hub_${'Ab3'.repeat(10)}xy1XJz7x`
const KEY = `-----BEGIN PRIVATE KEY-----\n${'MIIBVAIB'.repeat(10)}\n-----END PRIVATE KEY-----`
const NEW_LINE = 8
const README = 'When to use it, and what to give for each placeholder.\n'
const fromNow = (minutes: number) => `${new Date(Date.now() + minutes * 60_000).toISOString().slice(0, 19)}Z`

const inIndex = (more: string) => index(`${GOOD_INDEX}${more}`)
const withVariable = (lines: string) => version('{{a}}', `variables:\n  - name: a\n${lines}`)

// Which paths, files and values a rule refuses is tested in src/domain/content; here, each rule is found in a change,
// and the line is that of the value, however deep it is.
//  rule   problem, path, content, line
const BROKEN: Record<string, [string, string, string | Buffer | null, number][]> = {
  path: [
    ['a file at the top level', 'notes.txt', 'x', 1],
    ['an upper-case owner', 'Acme/a/versions/1.0.0.md', version('x'), 1],
    ['a reserved owner', 'api/a/versions/1.0.0.md', version('x'), 1],
    ['a prerelease version', 'acme/a/versions/1.2.0-rc.1.md', version('x'), 1],
    ['a readme', 'acme/a/readme.md', 'x', 1],
    ['an extra folder', 'acme/a/versions/1/1.2.0.md', version('x'), 1],
    ['a file that no skill may have', 'acme/a/versions/1.1.0/SKILL.md', 'x', 1],
  ],
  'no-attributes': [
    ['attributes at the top level', '.gitattributes', '* text', 1],
    ['attributes in an owner’s folder', 'acme/.gitattributes', '*.md text eol=crlf ident', 1],
    ['attributes next to versions', 'acme/a/versions/.gitattributes', '* working-tree-encoding=UTF-16', 1],
    ['attributes in mixed case', 'acme/.GitAttributes', '* ident', 1],
  ],
  'utf-8': [
    ['Latin-1', NEXT, Buffer.from(version('caf\xe9'), 'latin1'), 1],
    ['UTF-16', NEXT, Buffer.from('\ufeff---\n', 'utf16le'), 1],
  ],
  'file-fits': [['two megabytes', NEXT, version('x'.repeat(2 * 1024 ** 2)), 1]],
  'front-matter': [
    ['no front matter', NEXT, 'Review.', 1],
    ['a list instead of keys', NEXT, '---\n- a\n---\nx', 2],
    ['an alias', NEXT, version('x', 'parameters: {a: &a 1, b: *a}\n'), 4],
    ['a duplicate key', NEXT, version('x', 'changelog: a\nchangelog: b\n'), 5],
  ],
  'front-matter-value': [
    ['a missing time', NEXT, '---\npublished_by: octocat\n---\nx', 1],
    ['a date instead of a time', NEXT, version('x').replace('T10:00:00Z', ''), 2],
    ['a login with spaces', NEXT, version('x').replace('octocat', 'octo cat'), 3],
    ['parameters that are a list', NEXT, version('x', 'parameters: [1]\n'), 4],
    ['an unknown key', NEXT, version('x', 'changelog: a\nauthor: me\n'), 5],
    ['an enum without options', NEXT, withVariable('    type: enum\n'), 5],
    ['a duplicate variable', NEXT, withVariable('  - name: a\n'), 6],
    ['an unknown type', NEXT, withVariable('    type: text\n'), 6],
    ['a default of another type', NEXT, withVariable('    type: integer\n    default: x\n'), 7],
    ['a misspelled key', A, index(`${GOOD_INDEX.replace('title', 'titel')}title: Code review\n`), 2],
    ['a duplicate tag', A, index(GOOD_INDEX.replace('[code', '[review')), 4],
    ['an unknown status', A, inIndex('status: old\n'), 6],
    ['a yanked version without a reason', A, inIndex('yanked:\n  "1.0.0": ""\n'), 7],
    ['a javascript: URL', 'acme/index.md', '---\nname: Acme\nwebsite: "javascript:alert(1)"\n---\n', 3],
  ],
  'content-is-text': [['only whitespace', NEXT, version('\n \n'), 5]],
  'content-fits': [['content that is too long', NEXT, version('x'.repeat(262_145)), 5]],
  'variables-are-few': [
    ['65 placeholders', NEXT, version(Array.from({ length: 65 }, (_, at) => `{{v${at}}}`).join(' ')), 5],
  ],
  'placeholders-are-short': [['a long name', NEXT, version(`Say {{${'a'.repeat(65)}}}.\n`), 5]],
  'holds-no-secret': [
    ['a hub token', NEXT, good('changelog: a\n').replace('Review', `x\n\nUse ${TOKEN}\nReview`), NEW_LINE + 3],
    ['a private key', NEXT, good('').replace('Review', `x\n\n${KEY}\nReview`), NEW_LINE + 2],
    ['a token in the changelog', NEXT, good(`changelog: ${TOKEN}\n`), 7],
    ['a token in a readme', A, `${index(GOOD_INDEX)}\n${TOKEN}\n`, 9],
  ],
  'license-is-spdx': [['an unknown license', A, index(GOOD_INDEX.replace('MIT', 'Apache 2')), 5]],
  'labels-point-at-active-versions': [
    ['a label of an unknown version', A, inIndex('labels:\n  stable: "1.0.0"\n  next: "9.0.0"\n'), 8],
    ['a label of a yanked version', A, inIndex('yanked: {"1.0.0": bad}\nlabels: {stable: "1.0.0"}\n'), 7],
  ],
  'yanked-versions-exist': [['an unknown yanked version', A, inIndex('yanked:\n  "1.0.0": bad\n  "9.0.0": bad\n'), 8]],
  'advisories-have-ranges': [
    ['no range', A, inIndex('advisories:\n  - range: below 2\n    severity: low\n    message: m\n'), 7],
  ],
  'successor-exists': [['moved to an unknown prompt', A, inIndex('moved_to: acme/nowhere\n'), 6]],
  'replacement-exists': [['replaced by an unknown prompt', A, inIndex('replaced_by: acme/nowhere\n'), 6]],
  'files-need-skill': [['a folder of files without its version', 'acme/a/versions/1.2.0/a.md', 'x', 1]],
  'has-versions': [['an index.md without versions', 'acme/d/index.md', index(GOOD_INDEX), 1]],
  usage: [['usage counts that are not JSON', 'usage.json', '{', 1]],
  models: [['a model with a wrong date', 'models.yml', 'models:\n  - id: a-1\n    retires_at: soon\n', 3]],
  equivalents: [['a set with a single equivalent', 'equivalents.txt', '# sets\n\nalone\n', 3]],
  'version-unchanged': [
    ['a changed version', 'acme/a/versions/1.0.0.md', version(`In {{language}}: ${TEXT}.`, LANGUAGE), 1],
    ['a deleted version', 'acme/a/versions/1.0.0.md', null, 1],
  ],
  'version-step': [
    ['a skipped minor version', 'acme/a/versions/1.3.0.md', good(''), 1],
    ['a version below the highest one', 'acme/a/versions/1.0.1.md', good(''), 1],
    ['a minor version that does not reset the patch number', 'acme/a/versions/1.2.1.md', good(''), 1],
    ['a first version that is not 1.0.0', 'acme/e/versions/0.1.0.md', good(''), 1],
  ],
  'version-number-used': [['a reused number', 'acme/c/versions/1.1.0.md', version('Thrice.\n'), 1]],
  'no-forged-provenance': [
    [
      'it is unproven',
      NEXT,
      good('provenance: {issuer: a, repository: b, workflow: c, ref: d, sha: e, run_id: "1"}\n'),
      7,
    ],
  ],
  'published-by-now': [
    ['ten minutes ahead', NEXT, good('').replace(/published_at: .*/, `published_at: "${fromNow(10)}"`), 2],
    ['years ahead', NEXT, good('').replace('2026-11-01', '2031-01-01'), 2],
  ],
  'is-edited': [
    ['the content of npm run new', NEXT, version('Say here what the model should do with {{input}}.\n'), 5],
    ['the description of a variable', NEXT, good('').replace('The language of the code', 'What to give for it'), 6],
    ['the changelog', NEXT, good('changelog: Say what changes, and why\n'), 7],
    ['the readme', A, `---\n${GOOD_INDEX}---\n${README}`, 7],
  ],
}

describe('an invalid change reports its rule, file and line', () => {
  const cases = Object.entries(BROKEN).flatMap(([rule, found]) => found.map((one) => [rule, ...one] as const))
  const [together, alone] = [true, false].map((isOfOwner) =>
    cases.filter(([, , path]) => path.startsWith('acme/') === isOfOwner),
  ) as [typeof cases, typeof cases]
  const reviewed = reviewTogether(together.map(([, , path, text]) => ({ [path]: text })))

  test.each(together.map((one, at) => [...one, at] as const))('%s: %s', (rule, _, path, _text, line, at) => {
    const found = reviewed()[at]!.map(nameEntry)
    expect(found.filter((one) => !ADVICE.test(one))).toEqual([`content/${path}:${line} ${rule}`])
  })

  test('at the top level, and of owners with an invalid name', async () => {
    for (const [, , path, text] of alone) put(path, text)
    put('acme/.git\u200cattributes', '* ident')
    const expected = alone.map(([rule, , path, , line]) => `content/${path}:${line} ${rule}`)
    expect((await said()).filter((one) => !ADVICE.test(one)).toSorted()).toEqual(
      [...expected, 'content/acme/.git?attributes:1 no-attributes'].toSorted(),
    )
  })
})

test('reports a prompt with 1,001 versions', async () => {
  for (let patch = 0; patch <= 1_000; patch++) put(`acme/d/versions/1.0.${patch}.md`, version('x'))
  put('acme/d/index.md', index(GOOD_INDEX))
  expect((await said({})).filter((one) => !ADVICE.test(one))).toEqual(['content/acme/d/index.md:1 versions-are-few'])
})

test('reports a missing content folder', async () => {
  put('.', null)
  expect(await said({})).toEqual(['content:1 content-folder'])
})

describe('Windows device names as prompt names', () => {
  test.each(['con', 'lpt9'])('rejects %s for a new prompt', async (name) => {
    put(`acme/${name}/index.md`, index(GOOD_INDEX.replace('Code review', 'Another review')))
    put(`acme/${name}/versions/1.0.0.md`, version('Something else entirely, in {{language}}.\n', LANGUAGE))
    expect(await said()).toEqual([`content/acme/${name}/index.md:1 portable-name`])
  })

  test('gives only advice for existing prompts, and ignores names that merely start with one', async () => {
    put('acme/aux/index.md', index(GOOD_INDEX.replace('Code review', 'Another review')))
    put('acme/aux/versions/1.0.0.md', version('Something else entirely, in {{language}}.\n', LANGUAGE))
    put('acme/com10/index.md', index(GOOD_INDEX.replace('Code review', 'Third review')))
    put('acme/com10/versions/1.0.0.md', version('Translate what follows into {{language}}.\n', LANGUAGE))
    const { entries } = await review({})
    const ofNames = entries.filter(({ rule }) => rule.endsWith('portable-name'))
    expect(ofNames.map((one) => `${one.file} ${one.rule} ${one.severity}`)).toEqual([
      'content/acme/aux/index.md unportable-name advice',
    ])
  })
})

describe('an owner that has members', () => {
  const withMembers = (members: string) => `---\nname: Zed\nmembers: ${members}\n---\n`
  //  change, text of the file, findings
  const cases: [string, string | null, string[]][] = [
    ['keeps one: an empty list', withMembers('[]'), ['content/acme/index.md:3 owner-has-members']],
    ['keeps one: no list', '---\nname: Zed\n---\n', ['content/acme/index.md:1 owner-has-members']],
    ['keeps one: no file', null, ['content/acme/index.md:1 owner-has-members']],
    ['may have others', withMembers('[4711]'), []],
    ['may be changed otherwise', withMembers('[octocat]').replace('Zed', 'Z'), []],
  ]
  const before = cases.map(() => ({ 'acme/index.md': withMembers('[octocat]') }))
  const changes = cases.map(([, text]) => ({ 'acme/index.md': text }))
  const reviewed = reviewTogether(changes, { before })
  // The same changes in a commit, as a pull request is reviewed.
  const inCommit = reviewTogether(changes, { before, isCommitted: true })

  test.each(cases.map((one, at) => [...one, at] as const))('%s', (_, _text, findings, at) => {
    expect([reviewed()[at]!.map(nameEntry), inCommit()[at]!.map(nameEntry)]).toEqual([findings, findings])
  })
})

describe('advice', () => {
  const tone = '  - name: tone\n    description: How\n'
  //  rule   problem, path, content, line
  const cases = [
    ['hidden-characters', 'in a prompt', NEXT, good('').replace('Review', 'x\ny\u200bz\nReview'), NEW_LINE + 1],
    ['hidden-characters', 'in a readme', A, `${index(GOOD_INDEX)}\u200b\n`, 8],
    ['variables-are-used', 'not used', NEXT, good(`${tone}    required: false\n`), 7],
    [
      'placeholders-are-declared',
      'not declared',
      'acme/a/versions/2.0.0.md',
      good('').replace('Review', '\n{{ who }}.\nReview'),
      NEW_LINE + 1,
    ],
    ['look-alikes', 'two scripts', NEXT, good('').replace('Review', 'p\u0430ypal'), NEW_LINE],
    ['secret', 'like a key', NEXT, good('').replace('Review', `x\nAKIA${'A2B3C4D5E6F7G2H3'}\n`), NEW_LINE + 1],
    ['weak-title', 'no title', A, index(GOOD_INDEX.replace('title: Code review\n', '')), 1],
    ['weak-title', 'one character', A, index(GOOD_INDEX.replace('Code review', 'X')), 2],
    ['weak-metadata', 'a short description', A, index(GOOD_INDEX.replace(/Finds.*/, 'Reviews.')), 3],
    ['weak-metadata', 'no tags', A, index(GOOD_INDEX.replace('[code, review]', '[]')), 4],
    ['weak-metadata', 'a variable', NEXT, good('').replace('    description: The language of the code\n', ''), 4],
    ['breaking-change', 'a required variable', NEXT, good(tone).replace('Review', '{{tone}} Review'), 1],
  ] as const
  const advised = reviewTogether(cases.map(([, , path, text]) => ({ [path]: text })))

  test.each(cases.map((one, at) => [...one, at] as const))('%s: %s', (rule, _, path, _text, line, at) => {
    const found = advised()[at]!.filter(isOwn)
    expect(found.map((one) => `${nameEntry(one)} ${one.severity}`)).toEqual([`content/${path}:${line} ${rule} advice`])
  })

  //  publishing of the owner in the base, version, findings
  const breaking: [string, string, string[]][] = [
    ['publishing: semver\n', '1.2.0', ['breaking-is-major error']],
    ['publishing: [semver]\n', '1.1.1', ['breaking-is-major error']],
    ['publishing: semver\n', '2.0.0', []],
    ['publishing: semvre\n', '1.2.0', ['signed-version error', 'breaking-is-major error']],
    ['', '1.2.0', ['breaking-change advice']],
  ]
  const ruled = reviewTogether(
    breaking.map(([, number]) => ({
      // The pull request cannot change its own rule.
      'acme/index.md': '---\nname: Acme\n---\n',
      [`acme/a/versions/${number}.md`]: good(tone).replace('Review', '{{tone}} Review'),
    })),
    { before: breaking.map(([rule]) => ({ 'acme/index.md': `---\nname: Acme\n${rule}---\n` })) },
  )

  test.each(breaking.map((one, at) => [...one, at] as const))(
    'a breaking change of an owner with %j as %s',
    (_, _number, expected, at) => {
      const found = ruled()[at]!.filter(isOwn)
      expect(found.map(({ rule, severity }) => `${rule} ${severity}`).toSorted()).toEqual(expected.toSorted())
    },
  )

  test('compares with the highest version that is not yanked, as a publish does', async () => {
    git('checkout', '-qB', 'base')
    put(A, index(`${GOOD_INDEX}yanked: {"1.1.0": Needs a tone}\n`))
    put('acme/a/versions/1.1.0.md', good(tone).replace('Review', '{{tone}} Review'))
    git('add', '.')
    git('commit', '-qm', 'yank')
    put(NEXT, good('').replace('Review', 'Read'))
    const { entries } = await review({ base: 'HEAD' })
    expect(entries.map(({ rule }) => rule)).toEqual([])
  })

  test('a near-duplicate of another prompt, with different case and line breaks', async () => {
    put('acme/z/index.md', index(GOOD_INDEX.replace('Code review', 'Second review')))
    put('acme/z/versions/1.0.0.md', version(`IN {{language}} -\nbriefly: ${TEXT.toUpperCase()}!`, LANGUAGE))
    expect(await said()).toEqual(['content/acme/z/versions/1.0.0.md:8 near-duplicate'])
  })
})

describe('valid changes report nothing', () => {
  const cases: [string, Record<string, string>][] = [
    ['no change', {}],
    ['the next minor version', { [NEXT]: good('') }],
    [
      'a date slightly ahead of the clock',
      { [NEXT]: good('').replace(/published_at: .*/, `published_at: "${fromNow(4)}"`) },
    ],
    ['the next patch version', { 'acme/a/versions/1.1.1.md': good('') }],
    [
      'the next major version, with a new required variable',
      {
        'acme/a/versions/2.0.0.md': good('  - name: tone\n    description: How\n').replace('Review', '{{tone}} Review'),
      },
    ],
    ['two consecutive versions', { [NEXT]: good(''), 'acme/a/versions/1.2.1.md': good('') }],
    [
      'placeholders of another tool',
      { 'acme/b/versions/1.1.0.md': version('Write {{name}} as it is.\n', 'variables: []\n') },
    ],
    ['a deleted version, restored unchanged', { 'acme/c/versions/1.1.0.md': version('Twice.\n') }],
    ['a yanked version', { [A]: index(`${GOOD_INDEX}yanked: {"1.0.0": Too long}\n`) }],
    ['members of an owner that had none', { 'acme/index.md': '---\nmembers: [octocat]\n---\n' }],
  ]
  const reviewed = reviewTogether(cases.map(([, files]) => files))

  test.each(cases.map(([name], at) => [name, at] as const))('%s', (_, at) => {
    // The missing index.md of acme/c predates this change, so the findings do not include it.
    const found = reviewed()[at]!.filter(({ file }) => file !== 'content/acme/c/index.md')
    expect(found.filter(isOwn).map(nameEntry)).toEqual([])
  })

  test('a new owner', async () => {
    put('zed/index.md', '---\nmembers: [octocat]\n---\n')
    expect(await said()).toEqual([])
  })
})
