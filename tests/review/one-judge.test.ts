// Checks that publishing, `npm run check:content` and `--base` treat the same version identically: all reject it, or
// all accept it with the same warnings.
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { checksumOf } from '../../src/domain/access/token.ts'
import { findTrackedHead } from '../../src/review/content-changes.ts'
import { reviewContent } from '../../src/review/review-content.ts'
import { openHub } from '../hubs/publishing.ts'
import { openLocalWorld } from '../hubs/worlds.ts'
import { runSync } from '../run-sync.ts'
import { writeFiles } from '../write-files.ts'

const TEXT =
  'Review this code. Name every real problem with its line, and say how bad it is for whoever works with it.\n'
const FRONT = { published_at: '2026-11-01T10:00:00Z', published_by: 'octocat' }
const INDEX = {
  title: 'Code review',
  description: 'Finds real problems in a change and says how bad they are.',
  tags: ['review'],
  license: 'MIT',
}
const LANGUAGE = { name: 'language', description: 'The language of the code' }
const FIRST = `In {{language}}: ${TEXT}`
const file = (front: object, body: string) => `---\n${stringify(front)}---\n${body}`
const A = 'A'.repeat(30)
const NEXT = `In {{language}}, briefly: ${TEXT}`
const nested = (depth: number): object => (depth === 0 ? {} : { a: nested(depth - 1) })
const variable = (more: object) => ({ content: NEXT, variables: [{ ...LANGUAGE, ...more }] })
const withWord = (word: string) => ({ content: NEXT.replace('Review', word) })
const WEAK = 'weak_metadata'
const NAME = 'the-name-itself'
const skill = { description: 'Reviews code.' }
const withFile = (path: string, text = 'x') => ({ content: NEXT, skill, files: [{ path, text }] })

//  case                    body of the publish, without its bump                    result: `refused`, or the warnings
const CASES: [string, Record<string, unknown>, 'refused' | string[]][] = [
  ['the next version', { content: NEXT, changelog: 'Shorter' }, []],
  ['with declared variables', variable({}), []],
  ['content without a final newline', { content: NEXT.trimEnd() }, []],
  ['Windows line endings', { content: NEXT.replaceAll('\n', '\r\n') }, []],
  [
    'placeholders of another tool',
    { content: NEXT.replace('Review', '{% x %} {{ a.b }} Review') },
    ['near_placeholder'],
  ],
  ['front matter in the content', { content: `---\ntitle: A\n---\n${NEXT}` }, ['looks_like_front_matter']],
  ['an enum', variable({ type: 'enum', options: ['Go', 'C'], default: 'Go' }), ['breaking_change']],
  ['a number with a default', variable({ type: 'number', default: 1.5, required: false }), ['breaking_change']],
  ['a number beyond the precision of doubles', { content: NEXT, parameters: { seed: 12345678901234567000 } }, []],
  ['keys that YAML reads as other types', { content: NEXT, parameters: { yes: 'no', '1.10': '1.10', null: '~' } }, []],
  ['parameters 32 levels deep', { content: NEXT, parameters: nested(31) }, []],
  [
    'an unused variable',
    { content: 'hi {{a}}', variables: [{ name: 'b', description: 'What' }] },
    [WEAK, 'breaking_change'],
  ],
  ['an undeclared placeholder', { content: `${NEXT}{{who}}\n`, variables: [LANGUAGE] }, [WEAK, 'breaking_change']],
  [
    'an unused optional variable',
    { content: NEXT, variables: [LANGUAGE, { name: 'tone', description: 'How', required: false }] },
    [WEAK],
  ],
  ['all variables removed', { content: NEXT, variables: [] }, ['breaking_change']],
  ['a new required variable', { content: `${NEXT}{{tone}}\n` }, [WEAK, 'breaking_change']],
  ['a variable without a description', { content: NEXT, variables: [{ name: 'language' }] }, [WEAK]],
  ['a hidden character', withWord('Re\u200bview'), ['hidden_characters']],
  ['a hidden character in a description', variable({ description: 'a\u200bb' }), ['hidden_characters']],
  ['a word in two scripts', withWord('p\u0430ypal'), ['look_alikes']],
  ['text that looks like a key', withWord(`AKIA${'A2B3C4D5E6F7G2H3'}`), ['secret']],
  ['a title of two characters', { content: NEXT, title: 'CR' }, [WEAK]],
  ['a title that equals the name', { content: NEXT, title: NAME }, [WEAK]],
  ['a short description', { content: NEXT, description: 'Reviews.' }, [WEAK]],
  ['no tags', { content: NEXT, tags: [] }, [WEAK]],
  ['empty content', { content: '' }, 'refused'],
  ['NUL', { content: `${NEXT}\0` }, 'refused'],
  ['content that is too long', { content: 'x'.repeat(262_145) }, 'refused'],
  ['65 placeholders', { content: Array.from({ length: 65 }, (_, at) => `{{v${at}}}`).join(' ') }, 'refused'],
  ['a placeholder of 65 characters', { content: `{{${'a'.repeat(65)}}}` }, 'refused'],
  ['a hub token', withWord(`hub_${'Ab3'.repeat(10)}xy1XJz7x`), 'refused'],
  ['a token with a valid checksum', { content: NEXT, changelog: `npm_${A}${checksumOf(A)}` }, 'refused'],
  [
    'a private key',
    { content: `-----BEGIN PRIVATE KEY-----\n${'MIIBVAIB'.repeat(10)}\n-----END PRIVATE KEY-----\n` },
    'refused',
  ],
  ['unedited content of npm run new', { content: 'Say here what the model should do with {{input}}.\n' }, 'refused'],
  ['an unedited changelog', { content: NEXT, changelog: 'Say what changes, and why' }, 'refused'],
  ['an unedited description of a variable', variable({ description: 'What to give for it' }), 'refused'],
  ['a changelog with a control character', { content: NEXT, changelog: 'a\u0007b' }, 'refused'],
  ['a changelog of 501 characters', { content: NEXT, changelog: 'x'.repeat(501) }, 'refused'],
  ['parameters that are a list', { content: NEXT, parameters: [1] }, 'refused'],
  ['parameters 33 levels deep', { content: NEXT, parameters: nested(33) }, 'refused'],
  [
    '1,001 parameters',
    { content: NEXT, parameters: Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`k${at}`, at])) },
    'refused',
  ],
  ['65,537 bytes of parameters', { content: NEXT, parameters: { a: 'x'.repeat(65_537) } }, 'refused'],
  ['a variable with a hyphen', variable({ name: 'a-b' }), 'refused'],
  ['a duplicate variable', { content: NEXT, variables: [LANGUAGE, LANGUAGE] }, 'refused'],
  ['an unknown type', variable({ type: 'text' }), 'refused'],
  ['an enum without options', variable({ type: 'enum' }), 'refused'],
  ['a default of another type', variable({ type: 'integer', default: 'x' }), 'refused'],
  ['a title of two lines', { content: NEXT, title: 'a\nb' }, 'refused'],
  ['an empty title', { content: NEXT, title: ' ' }, 'refused'],
  ['a title with a character that XML forbids', { content: NEXT, title: 'Code \uffff' }, 'refused'],
  ['an upper-case tag', { content: NEXT, tags: ['Code'] }, 'refused'],
  ['a skill with files', { ...withFile('scripts/a.py'), content: `${NEXT}See scripts/a.py.\n` }, []],
  [
    'a file that the skill names and that is not there',
    { ...withFile('scripts/a.py'), content: `${NEXT}See scripts/b.py.\n` },
    ['missing_file'],
  ],
  ['text that looks like a key, in a file', withFile('a.md', `AKIA${'A2B3C4D5E6F7G2H3'}`), ['secret']],
  ['a hidden character in a file', withFile('a.md', 'a\u200bb'), ['hidden_characters']],
  [
    'a skill with metadata',
    { content: NEXT, skill: { ...skill, compatibility: 'Python', metadata: { author: 'x' } } },
    [],
  ],
  ['metadata with a number', { content: NEXT, skill: { ...skill, metadata: { author: 1 } } }, 'refused'],
  ['allowed-tools', { content: NEXT, skill: { ...skill, 'allowed-tools': 'Bash' } }, 'refused'],
  [
    'a private key in a file',
    withFile('id.pem', `-----BEGIN PRIVATE KEY-----\n${'MIIBVAIB'.repeat(10)}\n-----END PRIVATE KEY-----\n`),
    'refused',
  ],
  ['a file without a skill', { content: NEXT, files: [{ path: 'a.md', text: 'x' }] }, 'refused'],
  ['SKILL.md as a file', withFile('a/SKILL.md'), 'refused'],
  ['a folder named SKILL.md, which takes the place of the file', withFile('SKILL.md/a'), 'refused'],
  ['a device', withFile('aux.md'), 'refused'],
  [
    'two names that differ in case',
    {
      content: NEXT,
      skill,
      files: [
        { path: 'a.md', text: 'x' },
        { path: 'A.md', text: 'y' },
      ],
    },
    'refused',
  ],
  ['a file that is too long', withFile('a.md', 'x'.repeat(2_000_001)), 'refused'],
  [
    '501 files',
    { content: NEXT, skill, files: Array.from({ length: 501 }, (_, at) => ({ path: `f${at}`, text: 'x' })) },
    'refused',
  ],
  [
    '8,000,001 bytes',
    {
      content: NEXT,
      skill,
      files: Array.from({ length: 5 }, (_, at) => ({
        path: `f${at}`,
        text: 'x'.repeat(at === 0 ? 1_600_001 : 1_600_000),
      })),
    },
    'refused',
  ],
  ['an unknown license', { content: NEXT, license: 'Apache 2' }, 'refused'],
]

/** Each case has a prompt of its own, so that one review judges all of them. */
const nameOf = ({ title }: Record<string, unknown>, at: number) => (title === NAME ? NAME : `case-${at}`)
const world = openLocalWorld(
  Object.fromEntries(
    CASES.flatMap(([, body], at) => [
      [`content/acme/${nameOf(body, at)}/index.md`, file(INDEX, 'When code changes.\n')],
      [`content/acme/${nameOf(body, at)}/versions/1.0.0.md`, file({ ...FRONT, variables: [LANGUAGE] }, FIRST)],
    ]),
  ),
)
const hub = await openHub(world)
const contentDir = await world.contentDir()
const git = (...args: string[]) =>
  runSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args], {
    cwd: dirname(contentDir),
    encoding: 'utf8',
  })

/** Writes the body of a publish as the files of a pull request, without checking its values. */
function write(
  name: string,
  { content, changelog, variables, parameters, skill, files = [], ...index }: Record<string, unknown>,
): void {
  const said = Object.entries({ changelog, variables, parameters, skill }).filter(([, value]) => value !== undefined)
  // If the variables are omitted, those that the content still uses carry over, and new placeholders are added.
  const carried = variables === undefined ? { variables: carryOver(String(content)) } : {}
  const folder = join(contentDir, 'acme', name)
  writeFileSync(
    join(folder, 'versions/1.1.0.md'),
    file({ ...FRONT, ...Object.fromEntries(said), ...carried }, String(content)),
  )
  for (const { path, text } of files as { path: string; text: string }[])
    writeFiles(join(folder, 'versions/1.1.0'), { [path]: text })
  if (Object.keys(index).length > 0)
    writeFileSync(join(folder, 'index.md'), file({ ...INDEX, ...index }, 'When code changes.\n'))
}

function carryOver(content: string): object[] | undefined {
  const names = [...new Set(Array.from(content.matchAll(/\{\{( ?)([A-Za-z_]\w*)\1\}\}/g), ([, , name]) => name!))]
  return names.includes('language') ? names.map((name) => (name === 'language' ? LANGUAGE : { name })) : undefined
}

type Outcome = 'refused' | string[]

async function publish(name: string, body: Record<string, unknown>): Promise<Outcome> {
  const { status, data } = await hub.publish({ bump: 'minor', ...body, dry_run: true }, { to: `acme/${name}` })
  if (status === 422 || status === 413) return 'refused'
  expect(status).toBe(200)
  return sortUnique((data.warnings as { code: string }[]).map(({ code }) => code))
}

/** The warning codes of the advisory rules whose code differs from the rule's name. */
const CODES: Record<string, string> = {
  'variables-are-used': WEAK,
  'placeholders-are-declared': WEAK,
  'weak-title': WEAK,
}

/** Reviews all cases. @returns the outcome for a prompt */
async function check(base: string | undefined): Promise<(name: string) => Outcome> {
  const { entries } = await reviewContent({ contentDir, base, environment: process.env })
  return (name) => {
    // The cases have almost the same text, which a publish of one prompt does not look for.
    const found = entries.filter((one) => one.file.startsWith(`content/acme/${name}/`) && one.rule !== 'near-duplicate')
    if (found.some(({ severity }) => severity === 'error')) return 'refused'
    return sortUnique(found.map(({ rule }) => CODES[rule] ?? rule.replaceAll('-', '_')))
  }
}

const sortUnique = (codes: string[]) => [...new Set(codes)].sort()

describe('publishing, check:content and --base give the same result', () => {
  const published: Outcome[] = []
  let checked: (name: string) => Outcome
  let compared: typeof checked
  beforeAll(async () => {
    for (const [at, [, body]] of CASES.entries()) published.push(await publish(nameOf(body, at), body))
    for (const [at, [, body]] of CASES.entries()) write(nameOf(body, at), body)
    checked = await check(await findTrackedHead(contentDir, process.env))
    git('checkout', '-q', '-b', 'pull')
    git('add', '-A')
    git('commit', '-qm', 'pull')
    compared = await check('main')
  })

  test.each(CASES.map(([said, body, expected], at) => [said, at, nameOf(body, at), expected] as const))(
    '%s',
    (_, at, name, expected) => {
      const wanted = expected === 'refused' ? expected : expected.toSorted()
      const outcomes = { published: published[at], checked: checked(name), compared: compared(name) }
      expect(outcomes).toEqual({ published: wanted, checked: wanted, compared: wanted })
    },
  )
})
