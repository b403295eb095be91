// Checks that many kinds of invalid content make the build fail. The build reports all problems and executes nothing.
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeSiteFolder } from '../hubs/build-site.ts'
import { launch } from '../hubs/processes.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { writeRepository } from './made-content.ts'

const root = temporaryFolder()
const content = join(root, 'content')
const marker = join(root, 'marker')
const out = makeSiteFolder('mistakes')
const front = (more = '') => `---\npublished_at: "2025-03-01T00:00:00Z"\npublished_by: tester\n${more}---\n`
const execute = `require('node:fs').writeFileSync(${JSON.stringify(marker)}, 'run')`

const bomb = [
  'a: &a [x, x]',
  ...'bcdefgh'.split('').map((name, i) => `${name}: &${name} [*${'abcdefg'[i]}, *${'abcdefg'[i]}]`),
]
const invalid = Buffer.concat([Buffer.from(front()), Buffer.from([0x61, 0xff, 0xfe, 0x0a])])

//  case                    file                                      bytes                                         expected
const MISTAKES: [string, string, string | Buffer, RegExp][] = [
  ['bad YAML', 'acme/bad-yaml/index.md', '---\ntitle: [never closed\n---\n', /yaml|flow|]/i],
  ['an alias bomb', 'acme/bomb/index.md', `---\n${bomb.join('\n')}\ntitle: *h\n---\n`, /alias/i],
  ['front matter in JavaScript', 'acme/script/versions/1.0.0.md', `---js\n${execute}\n---\nText\n`, /---/],
  [
    'front matter in JavaScript in an index.md',
    'acme/script/index.md',
    `---javascript\n${execute}\n---\nText\n`,
    /---/,
  ],
  ['an unknown key', 'acme/unknown-key/index.md', '---\ntitel: Wrong\n---\n', /titel/],
  ['a bad tag', 'acme/bad-tag/index.md', '---\ntags: [Not A Tag]\n---\n', /tags/],
  ['a wrong path', 'acme/wrong-path/versions/v1.0.md', `${front()}Text\n`, /x\.y\.z/],
  ['an upper-case name', 'acme/Upper-Case/versions/1.0.0.md', `${front()}Text\n`, /lower|a-z/i],
  ['invalid UTF-8', 'acme/invalid-bytes/versions/1.0.0.md', invalid, /UTF-8/i],
  ['NUL', 'acme/nul-inside/versions/1.0.0.md', `${front()}Text\0\n`, /NUL/i],
  ['content that is too long', 'acme/over-long/versions/1.0.0.md', `${front()}${'x'.repeat(262_145)}`, /262[,.]?144/],
  ['a duplicate key', 'acme/twice/index.md', '---\ntitle: One\ntitle: Two\n---\n', /uniq|duplicate|twice|title/i],
]
const LINK = 'acme/linked/versions/1.0.1.md'

describe('invalid content', () => {
  let log = ''
  let code: number | null = 0

  beforeAll(async () => {
    for (const name of new Set(MISTAKES.map(([, file]) => file.split('/')[1] ?? ''))) {
      if (!/wrong-path|script|Upper/.test(name)) {
        writeRepository(content, `acme/${name}`, {
          versions: { '1.0.0': { at: '2025-03-01T00:00:00Z', content: 'Good\n' } },
        })
      }
    }
    for (const [, file, bytes] of MISTAKES) {
      mkdirSync(dirname(join(content, file)), { recursive: true })
      writeFileSync(join(content, file), bytes)
    }
    writeRepository(content, 'acme/linked', {
      versions: { '1.0.0': { at: '2025-03-01T00:00:00Z', content: 'Good\n' } },
    })
    symlinkSync('1.0.0.md', join(content, LINK))
    const build = launch(process.execPath, ['scripts/build.ts', '--out', out], { CONTENT_DIR: content })
    ;({ code } = await build.closed)
    log = build.log()
  })
  afterAll(() => rmSync(out, { recursive: true, force: true }))

  const said = (file: string) =>
    log
      .split(/\n(?=[^\n]*acme\/)/)
      .filter((part) => part.includes(file))
      .join('\n')

  test('the build exits with an error', () => {
    expect(code).not.toBe(0)
    expect(code).not.toBeNull()
  })

  test.each(MISTAKES)('reports %s with its file and the cause', (_, file, __, expected) => {
    expect(said(file), log).toMatch(expected)
  })

  test('reports a symbolic link', () => {
    expect(said(LINK), log).toMatch(/link|regular file/i)
  })

  test('runs no code from the content and publishes nothing', () => {
    expect(existsSync(marker)).toBe(false)
    expect(existsSync(join(out, 'data')) ? readdirSync(join(out, 'data')) : []).toEqual([])
  })
})
