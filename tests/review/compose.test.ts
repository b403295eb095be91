// Tests includes in pull requests: `npm run compose` writes a version that a review accepts, and no other one passes.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { composeVersion } from '../../src/content/compose.ts'
import { COMPILED } from '../compiled.ts'
import { runScript } from '../loaded.ts'
import { ADVICE, openReviewed, ownerOf, version } from './reviewed.ts'

const { root, git, put, said, review } = openReviewed(8)
const FIRST = 'acme/whole/versions/1.0.0.md'
const read = (path: string) => readFileSync(join(root(), 'content', path), 'utf8')
const found = async (base = 'main') => (await said({ base })).filter((line) => !ADVICE.test(line))

async function compose(...args: string[]) {
  const env = { PATH: process.env.PATH, ...COMPILED, CONTENT_DIR: join(root(), 'content') }
  const words = ['acme/whole', '--by', 'Octocat', ...args]
  const { stdout, stderr, code } = await runScript('scripts/content/compose.ts', words, { env })
  return { code, said: `${stdout}${stderr.split('\n')[0]}`.trim() }
}

/** Writes the first version from a source, without a process of its own. */
function composeFirst(source = 'Whole.\n{{include "acme/b@^1"}}\nEnd.\n', name = 'whole', owner = 'acme') {
  const place = { owner, name, bump: 'patch', allowBreaking: false, changelog: 'First', by: 'octocat' } as const
  return composeVersion(join(root(), 'content'), { ...place, source }, new Date())
}

/** Commits everything to a branch of its own. */
function commit(): void {
  git('checkout', '-qB', 'published')
  git('add', '.')
  git('commit', '-qm', 'composed')
}

describe('npm run compose', () => {
  test('writes a version that the review accepts, and composes it again when a part has a new version', async () => {
    const source = join(root(), 'source.md')
    writeFileSync(source, 'Whole.\n{{include "acme/b@^1"}}\nEnd.\n')
    expect(await compose('--source', source)).toEqual({ code: 0, said: `content/${FIRST}` })
    expect(read(FIRST).endsWith('---\nWhole.\nTranslate the text below.\nEnd.\n')).toBe(true)
    expect(await found()).toEqual([])
    commit()
    expect(await compose()).toEqual({
      code: 0,
      said: 'acme/whole is unchanged: no included prompt has a newer version.',
    })
    put('acme/b/versions/1.1.0.md', version('Translate the text below, well.\n'))
    expect(await compose('minor')).toEqual({ code: 0, said: 'content/acme/whole/versions/1.1.0.md' })
    expect(read('acme/whole/versions/1.1.0.md')).toContain('\nTranslate the text below, well.\nEnd.\n')
    expect(await found()).toEqual([])
    const bumped = await runScript('scripts/content/scaffold.ts', ['bump', 'acme/whole', 'patch', '--changelog', 'x'], {
      env: { PATH: process.env.PATH, ...COMPILED, CONTENT_DIR: join(root(), 'content') },
    })
    expect([bumped.code, bumped.stderr]).toEqual([1, expect.stringContaining('use npm run compose')])
  })

  test.each([
    ['{{include "acme/none"}}', 'content: line 1: acme/none is not a prompt on this hub'],
    ['{{include "acme/b@^2"}}', 'content: line 1: acme/b has 1 active version, but none in ^2'],
    ['---\ntitle: A\n---\n{{include "acme/b"}}', 'title: expected in content/acme/whole/index.md'],
  ])('refuses %j', (content, message) => {
    expect(() => composeFirst(content)).toThrow(message)
  })
})

describe('a review of a new version with includes', () => {
  beforeEach(() => {
    expect(composeFirst()).toBe(FIRST)
  })
  const change = (from: string, to: string, owner = 'acme') => {
    const path = FIRST.replace('acme', owner)
    const text = read(path)
    const changed = text.replace(from, to)
    expect(changed).not.toBe(text)
    put(path, changed)
  }

  //  case, what is changed at an owner, rule
  const SPOILT: [string, (owner: string) => void, string][] = [
    ['a part with another text', (owner) => change('the text', 'a text', owner), 'includes-match'],
    ['a wrong position', (owner) => change('start: 7', 'start: 6', owner), 'includes-match'],
    ['another version', (owner) => change('version: "1.0.0"', 'version: "1.0.9"', owner), 'includes-are-allowed'],
    ['a version outside of the range', (owner) => change('range: ^1', 'range: ^2', owner), 'includes-are-allowed'],
    ['another repository', (owner) => change(`${owner}/b\n`, `${owner}/a\n`, owner), 'includes-match'],
    [
      'a prompt that does not exist',
      (owner) => change(`${owner}/b\n`, `${owner}/none\n`, owner),
      'includes-are-allowed',
    ],
    [
      'a yanked version',
      (owner) => put(`${owner}/b/index.md`, '---\nyanked:\n  "1.0.0": Wrong\n---\n'),
      'includes-are-allowed',
    ],
    ['a skill with files', (owner) => put(`${owner}/b/versions/1.0.0/a.txt`, 'a\n'), 'includes-are-allowed'],
  ]
  test('finds what composing would not write, or would refuse', async () => {
    for (const [at, [, spoil]] of SPOILT.entries()) {
      const owner = ownerOf(at)
      composeFirst(`Whole.\n{{include "${owner}/b@^1"}}\nEnd.\n`, 'whole', owner)
      spoil(owner)
    }
    const { entries } = await review()
    for (const [at, [name, , rule]] of SPOILT.entries()) {
      const path = `content/${FIRST.replace('acme', ownerOf(at))}`
      const rules = entries.filter(({ file }) => file === path).map((one) => one.rule)
      expect([name, rules]).toEqual([name, expect.arrayContaining([rule])])
    }
    expect(entries.filter(({ file }) => file.endsWith(FIRST)).map((one) => one.rule)).not.toContain('includes-match')
  })

  test('finds a round of any length, and a part that hides what it includes', async () => {
    const around = (name: string, part: string) => composeFirst(`{{include "acme/${part}"}}`, name)
    expect([around('wider', 'whole'), around('widest', 'wider')]).toEqual([
      'acme/wider/versions/1.0.0.md',
      'acme/widest/versions/1.0.0.md',
    ])
    const widest = read('acme/widest/versions/1.0.0.md')
    expect(widest).toContain('through:\n      - acme/b\n      - acme/whole\n')
    expect(await found()).toEqual([])
    expect(() => around('b', 'widest')).toThrow('acme/widest@1.0.0 includes acme/b itself')
    put('acme/widest/versions/1.0.0.md', widest.replace('      - acme/b\n', ''))
    expect(await found()).toEqual([
      expect.stringMatching(/^content\/acme\/widest\/versions\/1\.0\.0\.md:\d+ includes-are-allowed$/),
    ])
    put('acme/widest/versions/1.0.0.md', widest.replace('acme/b\n', 'acme/widest\n'))
    expect(await found()).toContainEqual(expect.stringMatching(/widest\/versions\/1\.0\.0\.md:\d+ includes-match$/))
  })

  test('finds variables that composing does not give', async () => {
    put('acme/b/versions/1.1.0.md', version('In {{tone}}.\n', 'variables:\n  - name: tone\n    default: kind\n'))
    put(FIRST, null)
    expect(composeFirst('{{include "acme/b"}}')).toBe(FIRST)
    expect(await found()).toEqual([])
    change('default: kind', 'default: dry')
    expect(await found()).toEqual([
      expect.stringMatching(/^content\/acme\/whole\/versions\/1\.0\.0\.md:\d+ includes-are-allowed$/),
    ])
  })

  test('accepts a published version whose part was yanked or taken down since', async () => {
    commit()
    put('acme/b/index.md', '---\nyanked:\n  "1.0.0": Wrong\n---\n')
    expect(await found('published')).toEqual([])
  })
})

test('an include line in a version that was not composed is advice', async () => {
  put(FIRST, version('Whole.\n{{include "acme/b"}}\n'))
  expect(await found()).toEqual(['content/acme/whole/versions/1.0.0.md:6 looks-like-include'])
})
