// Tests the findings for a content change: for each broken one, exactly the rule, file and line, and nothing for a valid one.
import { describe, expect, test } from 'vitest'
import { A, ADVICE, GOOD_INDEX, good, HEAD, index, LANGUAGE, NEXT, openReviewed, TEXT, version } from './reviewed.ts'

const { put, review, said } = openReviewed()

const TOKEN = `hub_${'Ab3'.repeat(10)}xy1XJz7x`
const KEY = `-----BEGIN PRIVATE KEY-----\n${'MIIBVAIB'.repeat(10)}\n-----END PRIVATE KEY-----`
const NEW_LINE = 8
const README = 'When to use it, and what to give for each placeholder.\n'
/** Returns the time that many minutes from now. */
const fromNow = (minutes: number) => `${new Date(Date.now() + minutes * 60_000).toISOString().slice(0, 19)}Z`

//  what is wrong                        where                             what stands there                                         line  rule
const BROKEN: readonly (readonly [string, string, string | Buffer | null, number, string])[] = [
  ['a file at the top', 'notes.txt', 'x', 1, 'path'],
  ['an owner in capitals', 'Acme/a/versions/1.0.0.md', version('x'), 1, 'path'],
  ['a reserved owner', 'api/a/versions/1.0.0.md', version('x'), 1, 'path'],
  ['a name in capitals', 'acme/Code/versions/1.0.0.md', version('x'), 1, 'path'],
  ['a name with an underscore', 'acme/a_b/versions/1.0.0.md', version('x'), 1, 'path'],
  ['a version of two numbers', 'acme/a/versions/1.2.md', version('x'), 1, 'path'],
  ['a version with a v', 'acme/a/versions/v1.2.0.md', version('x'), 1, 'path'],
  ['a version before its release', 'acme/a/versions/1.2.0-rc.1.md', version('x'), 1, 'path'],
  ['a version with leading zeros', 'acme/a/versions/01.2.0.md', version('x'), 1, 'path'],
  ['another ending', 'acme/a/versions/1.2.0.txt', version('x'), 1, 'path'],
  ['the folder version', 'acme/a/version/1.2.0.md', version('x'), 1, 'path'],
  ['a readme', 'acme/a/readme.md', 'x', 1, 'path'],
  ['a folder too many', 'acme/a/versions/1/1.2.0.md', version('x'), 1, 'path'],
  ['attributes at the top', '.gitattributes', '* text', 1, 'no-attributes'],
  ['attributes of an owner', 'acme/.gitattributes', '*.md text eol=crlf ident', 1, 'no-attributes'],
  [
    'attributes beside versions',
    'acme/a/versions/.gitattributes',
    '* working-tree-encoding=UTF-16',
    1,
    'no-attributes',
  ],
  ['attributes where capitals do not count', 'acme/.GitAttributes', '* ident', 1, 'no-attributes'],
  ['Latin-1', NEXT, Buffer.from(version('caf\xe9'), 'latin1'), 1, 'utf-8'],
  ['UTF-16', NEXT, Buffer.from('\ufeff---\n', 'utf16le'), 1, 'utf-8'],
  ['two megabytes', NEXT, version('x'.repeat(2 * 1024 ** 2)), 1, 'file-fits'],
  ['no front matter', NEXT, 'Review.', 1, 'front-matter'],
  ['front matter without an end', NEXT, `---\n${HEAD}Review.`, 1, 'front-matter'],
  ['front matter in JavaScript', NEXT, '---js\n{}\n---\nx', 1, 'front-matter'],
  ['a byte order mark before it', NEXT, `\ufeff${version('x')}`, 1, 'front-matter'],
  ['YAML that is none', NEXT, version('x', 'changelog: "open\n'), 5, 'front-matter'],
  ['a key twice', NEXT, version('x', 'changelog: a\nchangelog: b\n'), 5, 'front-matter'],
  ['an alias', NEXT, version('x', 'parameters: {a: &a 1, b: *a}\n'), 1, 'front-matter'],
  ['a list in place of keys', NEXT, '---\n- a\n---\nx', 1, 'front-matter'],
  ['no time', NEXT, '---\npublished_by: octocat\n---\nx', 1, 'front-matter-value'],
  ['a day for a time', NEXT, '---\npublished_at: "2026-11-01"\npublished_by: octocat\n---\nx', 2, 'front-matter-value'],
  [
    'a login with spaces',
    NEXT,
    '---\npublished_at: "2026-11-01T10:00:00Z"\npublished_by: octo cat\n---\nx',
    3,
    'front-matter-value',
  ],
  ['an unknown key', NEXT, version('x', 'changelog: a\nauthor: me\n'), 5, 'front-matter-value'],
  ['a changelog that is a list', NEXT, version('x', 'changelog: [a]\n'), 4, 'front-matter-value'],
  ['parameters that are a list', NEXT, version('x', 'parameters: [1]\n'), 4, 'front-matter-value'],
  ['a variable without a name', NEXT, version('x', 'variables:\n  - type: string\n'), 5, 'front-matter-value'],
  ['a variable with a hyphen', NEXT, version('x', 'variables:\n  - name: a-b\n'), 5, 'front-matter-value'],
  ['a variable twice', NEXT, version('{{a}}', 'variables:\n  - name: a\n  - name: a\n'), 6, 'front-matter-value'],
  ['an unknown type', NEXT, version('{{a}}', 'variables:\n  - name: a\n    type: text\n'), 6, 'front-matter-value'],
  [
    'an enum without options',
    NEXT,
    version('{{a}}', 'variables:\n  - name: a\n    type: enum\n'),
    5,
    'front-matter-value',
  ],
  [
    'options without an enum',
    NEXT,
    version('{{a}}', 'variables:\n  - name: a\n    options: [x]\n'),
    6,
    'front-matter-value',
  ],
  [
    'a default of another type',
    NEXT,
    version('{{a}}', 'variables:\n  - name: a\n    type: integer\n    default: x\n'),
    7,
    'front-matter-value',
  ],
  ['an empty content', NEXT, version(''), 5, 'content-is-text'],
  ['a content of white space', NEXT, version('\n \n'), 5, 'content-is-text'],
  ['a content that is too long', NEXT, version('x'.repeat(262_145)), 5, 'content-fits'],
  [
    '65 placeholders',
    NEXT,
    version(Array.from({ length: 65 }, (_, at) => `{{v${at}}}`).join(' ')),
    5,
    'variables-are-few',
  ],
  [
    'a token of a hub',
    NEXT,
    good('changelog: a\n').replace('Review', `x\n\nUse ${TOKEN}\nReview`),
    NEW_LINE + 3,
    'holds-no-secret',
  ],
  ['a private key', NEXT, good('').replace('Review', `x\n\n${KEY}\nReview`), NEW_LINE + 2, 'holds-no-secret'],
  ['a token in the changelog', NEXT, good(`changelog: ${TOKEN}\n`), 7, 'holds-no-secret'],
  ['a token in a readme', A, `${index(GOOD_INDEX)}\n${TOKEN}\n`, 9, 'holds-no-secret'],
  ['a tag in capitals', A, index(GOOD_INDEX.replace('[code', '[Code')), 4, 'front-matter-value'],
  ['a tag twice', A, index(GOOD_INDEX.replace('[code', '[review')), 4, 'front-matter-value'],
  ['tags that are a text', A, index(GOOD_INDEX.replace('[code, review]', 'code')), 4, 'front-matter-value'],
  [
    'a key with a typing error',
    A,
    index(`${GOOD_INDEX.replace('title', 'titel')}title: Code review\n`),
    2,
    'front-matter-value',
  ],
  ['a status that is none', A, index(`${GOOD_INDEX}status: old\n`), 6, 'front-matter-value'],
  ['an empty title', A, index(GOOD_INDEX.replace('Code review', '""')), 2, 'front-matter-value'],
  ['a licence that is none', A, index(GOOD_INDEX.replace('MIT', 'Apache 2')), 5, 'license-is-spdx'],
  [
    'a label of no version',
    A,
    index(`${GOOD_INDEX}labels:\n  stable: "1.0.0"\n  next: "9.0.0"\n`),
    8,
    'labels-point-at-active-versions',
  ],
  [
    'a label of a yanked version',
    A,
    index(`${GOOD_INDEX}yanked: {"1.0.0": bad}\nlabels: {stable: "1.0.0"}\n`),
    7,
    'labels-point-at-active-versions',
  ],
  [
    'a yanked version that is none',
    A,
    index(`${GOOD_INDEX}yanked:\n  "1.0.0": bad\n  "9.0.0": bad\n`),
    8,
    'yanked-versions-exist',
  ],
  ['yanked without a reason', A, index(`${GOOD_INDEX}yanked:\n  "1.0.0": ""\n`), 7, 'front-matter-value'],
  [
    'an advisory without a range',
    A,
    index(`${GOOD_INDEX}advisories:\n  - range: below 2\n    severity: low\n    message: m\n`),
    7,
    'advisories-have-ranges',
  ],
  ['moved to nowhere', A, index(`${GOOD_INDEX}moved_to: acme/nowhere\n`), 6, 'successor-exists'],
  ['moved to itself', A, index(`${GOOD_INDEX}moved_to: acme/a\n`), 6, 'successor-exists'],
  ['replaced by nothing', A, index(`${GOOD_INDEX}replaced_by: acme/nowhere\n`), 6, 'replacement-exists'],
  ['an index alone', 'acme/d/index.md', index(GOOD_INDEX), 1, 'has-versions'],
  [
    'a website that is a script',
    'acme/index.md',
    '---\nname: Acme\nwebsite: "javascript:alert(1)"\n---\n',
    3,
    'front-matter-value',
  ],
  ['usage that is no JSON', 'usage.json', '{', 1, 'usage'],
  ['equivalents of one', 'equivalents.txt', '# sets\n\nalone\n', 3, 'equivalents'],
  ['equivalents in two steps', 'equivalents.txt', 'a > b\na > b > c\n', 2, 'equivalents'],
  ['equivalents of nothing', 'equivalents.txt', 'a > b\n\na >\n', 3, 'equivalents'],
  [
    'a published version with another byte',
    'acme/a/versions/1.0.0.md',
    version(`In {{language}}: ${TEXT}.`, LANGUAGE),
    1,
    'version-unchanged',
  ],
  ['a published version deleted', 'acme/a/versions/1.0.0.md', null, 1, 'version-unchanged'],
  ['a version two steps on', 'acme/a/versions/1.3.0.md', good(''), 1, 'version-step'],
  ['a version below the highest', 'acme/a/versions/1.0.1.md', good(''), 1, 'version-step'],
  ['a minor step that keeps its patch', 'acme/a/versions/1.2.1.md', good(''), 1, 'version-step'],
  ['a version after a wrong first', 'acme/e/versions/0.1.0.md', good(''), 1, 'version-step'],
  ['a number that was used', 'acme/c/versions/1.1.0.md', version('Thrice.\n'), 1, 'version-number-used'],
  [
    'provenance that nobody proved',
    NEXT,
    good('provenance: {issuer: a, repository: b, workflow: c, ref: d, sha: e, run_id: "1"}\n'),
    7,
    'no-forged-provenance',
  ],
  [
    'a date after now',
    NEXT,
    good('').replace(/published_at: .*/, `published_at: "${fromNow(6)}"`),
    2,
    'published-by-now',
  ],
  ['a date years from now', NEXT, good('').replace('2026-11-01', '2031-01-01'), 2, 'published-by-now'],
  ['the content of npm run new', NEXT, version('Say here what the model should do with {{input}}.\n'), 5, 'is-edited'],
  [
    'the words of npm run new for a variable',
    NEXT,
    good('').replace('The language of the code', 'What to give for it'),
    6,
    'is-edited',
  ],
  ['a changelog that was never written', NEXT, good('changelog: Say what changes, and why\n'), 7, 'is-edited'],
  ['a readme that was never written', A, `---\n${GOOD_INDEX}---\n${README}`, 7, 'is-edited'],
  ['a placeholder with a long name', NEXT, version(`Say {{${'a'.repeat(65)}}}.\n`), 5, 'placeholders-are-short'],
]

describe('an invalid change reports its rule, file and line', () => {
  test('covers at least 60 cases', () => expect(BROKEN.length).toBeGreaterThanOrEqual(60))

  test.each(BROKEN)('%s', async (_, path, text, line, rule) => {
    put(path, text)
    expect((await said()).filter((one) => !ADVICE.test(one))).toEqual([
      `content/${path.replace('\u200c', '?')}:${line} ${rule}`,
    ])
  })
})

test('rejects an attributes file with an invisible character in its name', async () => {
  put('acme/.git\u200cattributes', '* ident')
  expect(await said()).toEqual(['content/acme/.git?attributes:1 no-attributes'])
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
  test.each(['con', 'prn', 'aux', 'nul', 'com1', 'com9', 'lpt1', 'lpt9'])(
    'rejects %s for a new prompt',
    async (name) => {
      put(`acme/${name}/index.md`, index(GOOD_INDEX.replace('Code review', 'Another review')))
      put(`acme/${name}/versions/1.0.0.md`, version('Something else entirely, in {{language}}.\n', LANGUAGE))
      expect(await said()).toEqual([`content/acme/${name}/index.md:1 portable-name`])
    },
  )

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

describe('advice', () => {
  //  case                     where  what stands there                                                            line         rule
  test.each([
    ['a hidden character', NEXT, good('').replace('Review', 'x\ny\u200bz\nReview'), NEW_LINE + 1, 'hidden-characters'],
    [
      'a variable that is not used',
      NEXT,
      good('  - name: tone\n    description: How\n    required: false\n'),
      7,
      'variables-are-used',
    ],
    [
      'a placeholder that is not declared',
      NEXT,
      good('').replace('Review', '\nSay {{ who }}.\nReview'),
      NEW_LINE + 1,
      'placeholders-are-declared',
    ],
    ['a mixed word', NEXT, good('').replace('Review', 'p\u0430ypal'), NEW_LINE, 'look-alikes'],
    ['what looks like a key', NEXT, good('').replace('Review', `x\nAKIA${'A1'.repeat(8)}\n`), NEW_LINE + 1, 'secret'],
    ['a hidden character in a readme', A, `${index(GOOD_INDEX)}\u200b\n`, 8, 'hidden-characters'],
    ['no title', A, index(GOOD_INDEX.replace('title: Code review\n', '')), 1, 'weak-title'],
    ['a title of one letter', A, index(GOOD_INDEX.replace('Code review', 'X')), 2, 'weak-title'],
    ['a short description', A, index(GOOD_INDEX.replace(/Finds.*/, 'Reviews.')), 3, 'weak-metadata'],
    ['no tags', A, index(GOOD_INDEX.replace('[code, review]', '[]')), 4, 'weak-metadata'],
    [
      'a variable without words',
      NEXT,
      good('').replace('    description: The language of the code\n', ''),
      4,
      'weak-metadata',
    ],
    [
      'a new demand under a minor step',
      NEXT,
      good('  - name: tone\n    description: How\n').replace('Review', '{{tone}} Review'),
      1,
      'breaking-change',
    ],
  ] as const)('%s', async (_, path, text, line, rule) => {
    put(path, text)
    const { entries } = await review()
    expect(entries.map((one) => `${one.file}:${one.line} ${one.rule} ${one.severity}`)).toEqual([
      `content/${path}:${line} ${rule} advice`,
    ])
  })

  test('a near-duplicate of another prompt, with different case and line breaks', async () => {
    put('acme/z/index.md', index(GOOD_INDEX.replace('Code review', 'Second review')))
    put('acme/z/versions/1.0.0.md', version(`IN {{language}} -\nbriefly: ${TEXT.toUpperCase()}!`, LANGUAGE))
    expect(await said()).toEqual(['content/acme/z/versions/1.0.0.md:8 near-duplicate'])
  })
})

describe('valid changes report nothing', () => {
  test.each<[string, Record<string, string>]>([
    ['nothing', {}],
    ['the next minor', { [NEXT]: good('') }],
    [
      'a date a little ahead of this clock',
      { [NEXT]: good('').replace(/published_at: .*/, `published_at: "${fromNow(4)}"`) },
    ],
    ['the next patch', { 'acme/a/versions/1.1.1.md': good('') }],
    [
      'the next major, which asks for more',
      {
        'acme/a/versions/2.0.0.md': good('  - name: tone\n    description: How\n').replace('Review', '{{tone}} Review'),
      },
    ],
    ['two steps, one after the other', { [NEXT]: good(''), 'acme/a/versions/1.2.1.md': good('') }],
    [
      'placeholders that are somebody else’s',
      { 'acme/b/versions/1.1.0.md': version('Write {{name}} as it is.\n', 'variables: []\n') },
    ],
    ['a version that was deleted, as it was', { 'acme/c/versions/1.1.0.md': version('Twice.\n') }],
    ['a yanked version', { [A]: index(`${GOOD_INDEX}yanked: {"1.0.0": Too long}\n`) }],
    ['a new owner', { 'zed/index.md': '---\nmembers: [octocat]\n---\n' }],
  ])('%s', async (_, files) => {
    for (const [path, text] of Object.entries(files)) put(path, text)
    // The prompt acme/c has no index.md, which is older than this change and therefore not one of its findings.
    expect((await said()).filter((one) => !one.startsWith('content/acme/c/index.md'))).toEqual([])
  })
})
