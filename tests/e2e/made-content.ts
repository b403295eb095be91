// Creates the content for the end-to-end tests: the starter catalogue and repositories in rare states.
import { appendFileSync, cpSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../temporary-folder.ts'
import { writeFiles } from '../write-files.ts'

type Draft = {
  index?: string
  readme?: string
  versions: Record<string, { at: string; changelog?: string; more?: string; content: string | Buffer }>
}

export function writeRepository(root: string, fullName: string, { index, readme = '', versions }: Draft): void {
  const folder = join(root, fullName)
  if (index !== undefined) writeFiles(folder, { 'index.md': `---\n${index}\n---\n${readme}` })
  for (const [version, { at, changelog = 'Changed', more = '', content }] of Object.entries(versions)) {
    const front = `---\npublished_at: "${at}"\npublished_by: tester\nchangelog: "${changelog}"\n${more}---\n`
    writeFiles(join(folder, 'versions'), {
      [`${version}.md`]: Buffer.concat([Buffer.from(front), Buffer.from(content)]),
    })
  }
}

/** Unusual contents; each becomes one version. */
const BYTES: [string, string | Buffer][] = [
  ['1.0.0', 'Line one\r\nLine two\r\n'],
  ['1.1.0', '\uFEFFAfter a byte order mark\n'],
  ['1.2.0', 'No line end at the end'],
  ['1.3.0', '---\ntitle: not front matter\n---\n\nBody\n---\n'],
  ['1.4.0', '---js\nthrow new Error("never run")\n---\nBody\n'],
  ['1.5.0', '\n\n\tTab first, blanks last  \n\n\n'],
  ['1.6.0', 'Emoji 🦄👩‍👩‍👧, combining e\u0301, line\u2028separator, \u200F right to left, \u0001 control\n'],
  ['1.7.0', '\r\r\r only carriage returns\r'],
  ['1.8.0', '{"json": "{{ value }}", "latex": "\\frac{{1}}{2}", "jinja": "{% if x %}", "nested": "{{{x}}}"}\n'],
  ['1.9.0', 'x'.repeat(262_144)],
  ['1.10.0', 'The highest number is ten, not nine: {{ first }} {{second}} {{first}}\n'],
]

/** Creates a copy of the starter catalogue, with repositories in every state that the contract defines. */
export function makeContent(): string {
  const root = temporaryFolder()
  cpSync('content', root, { recursive: true })
  const one = (content: string, at = '2025-03-01T00:00:00Z') => ({ '1.0.0': { at, content } })

  writeFiles(root, {
    'zz-suite/index.md':
      '---\nname: The Suite\nwebsite: https://suite.example\navatar_url: https://avatars.githubusercontent.com/u/1?v=4\n---\nBiography with an accent: é.\n',
  })
  writeRepository(root, 'zz-suite/bytes', {
    index: 'title: Bytes\ntags: [zz-bytes]',
    versions: Object.fromEntries(
      BYTES.map(([version, content], i) => [
        version,
        { at: `2025-01-${String(i + 1).padStart(2, '0')}T12:00:00Z`, content },
      ]),
    ),
  })
  appendFileSync(
    join(root, 'models.yml'),
    '  - id: zz-retired\n    retires_at: "2026-01-02"\n    replaced_by: zz-far\n    source: https://suite.example/\n  - id: zz-far\n    retires_at: "2999-12-31"\n',
  )
  writeRepository(root, 'zz-suite/retiring', {
    versions: {
      '1.0.0': { at: '2025-02-01T00:00:00Z', more: 'parameters:\n  model: zz-retired\n', content: 'Retiring\n' },
      '1.1.0': { at: '2025-02-02T00:00:00Z', more: 'parameters:\n  model: zz-far\n', content: 'Retiring later\n' },
    },
  })
  writeRepository(root, 'zz-suite/all-yanked', {
    index: 'title: All yanked\ntags: [zz-yanked]\nyanked:\n  "1.0.0": Wrong\n  "1.1.0": Wrong again',
    versions: {
      '1.0.0': { at: '2025-02-01T00:00:00Z', content: 'Vanishedword {{a}}\n' },
      '1.1.0': { at: '2025-02-02T00:00:00Z', content: 'Vanishedword {{a}} again\n' },
    },
  })
  writeRepository(root, 'zz-suite/highest-yanked', {
    index:
      'title: Highest yanked\nyanked:\n  "1.1.0": "Wrong: “quoted”"\nlabels:\n  production: "1.0.0"\n  next: "1.0.1"',
    versions: {
      '1.0.0': { at: '2025-02-01T00:00:00Z', content: 'First\n' },
      '1.1.0': { at: '2025-02-02T00:00:00Z', content: 'Retractedword\n' },
      '1.0.1': { at: '2025-02-03T00:00:00Z', content: 'Third\n' },
    },
  })
  writeRepository(root, 'zz-suite/archived', {
    index: 'title: Archived\ntags: [zz-archive, writing]\nstatus: archived\nstatus_message: Kept for citation',
    versions: one('Mothballedword\n'),
  })
  writeRepository(root, 'zz-suite/deprecated', {
    index:
      'title: Deprecated\ntags: [zz-old]\nstatus: deprecated\nstatus_message: Use bytes instead\nreplaced_by: zz-suite/bytes',
    versions: one('Superseededword\n'),
  })
  writeRepository(root, 'zz-plain/three-plain-words', { versions: one('No index file, owner or repository\n') })
  writeRepository(root, 'zz-suite/constructor', {
    index: 'title: Constructor\ntags: [constructor]',
    versions: one('An ordinary word: {{constructor}} {{__proto__}}\n'),
  })

  for (let i = 1; i <= 45; i++) {
    const number = String(i).padStart(2, '0')
    writeRepository(root, `zz-many/page-${number}`, {
      index: `title: Number ${number}\ntags: [zz-many${i % 2 ? ', zz-odd' : ''}]`,
      versions: one(
        'Pagedword\n',
        `2024-${i > 28 ? '02' : '01'}-${String(i > 28 ? i - 28 : i).padStart(2, '0')}T00:00:00Z`,
      ),
    })
  }

  // In their order by `trending`, then by `top`.
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().replace(/\.\d+/, '')
  for (const [name, days, later, index] of [
    ['first-release', 1, {}],
    ['minor-release', 200, { '1.1.0': 1 }],
    ['three-weeks-ago', 200, { '2.0.0': 21 }],
    ['patches', 200, { '1.0.1': 1, '1.0.2': 1 }],
    ['yanked', 200, { '2.0.0': 1 }, 'yanked:\n  "2.0.0": Wrong'],
    ['too-long-ago', 45, {}],
  ] as const)
    writeRepository(root, `zz-trend/${name}`, {
      ...(index && { index }),
      versions: Object.fromEntries(
        Object.entries({ '1.0.0': days, ...later }).map(([version, at]) => [
          version,
          { at: daysAgo(at), content: `${name} ${version}\n` },
        ]),
      ),
    })
  const variables = 'variables:\n  - name: a\n    description: A word\n    example: blue\n'
  const provenance =
    'provenance:\n  issuer: https://token.actions.githubusercontent.com\n  repository: a/b\n  workflow: publish.yml\n  ref: refs/heads/main\n  sha: 0123456789abcdef0123456789abcdef01234567\n  run_id: "12345"\n'
  for (const [name, more] of [
    ['described', variables],
    ['vouched', provenance],
    ['nothing', ''],
  ] as const)
    writeRepository(root, `zz-rated/${name}`, {
      versions: { '1.0.0': { at: '2025-03-01T00:00:00Z', more, content: '{{a}}\n' } },
    })

  const search: [string, string, string, string][] = [
    ['every-field', 'title: Flarnholt\ndescription: Vexpindle\ntags: [wobbletag]', 'Crundlemire\n', 'Snarfblatt\n'],
    ['grobnik', 'title: Something', '', 'Else\n'],
    ['exact', 'title: Harvestix', '', 'Short\n'],
    ['nearly', 'title: Harvestux', '', 'Short\n'],
    ['persian', 'title: خلاصه‌ساز متن فارسی', '', 'این متن را کوتاه کن.\n'],
  ]
  for (const [name, index, readme, content] of search) {
    writeRepository(root, `zz-search/${name}`, { index, readme, versions: one(content) })
  }
  return root
}
