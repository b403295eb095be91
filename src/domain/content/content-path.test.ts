// Tests the paths below content/: each valid path identifies one owner, repository or version, and other paths are
// rejected. See docs/contract.md section 2.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyText } from '../../../tests/fixtures/records.ts'
import { words } from '../../../tests/words.ts'
import { formatPath, type Place, parsePath } from './content-path.ts'

describe('content paths', () => {
  const places: [string, Place][] = [
    ['usage.json', { kind: 'usage' }],
    ['equivalents.txt', { kind: 'equivalents' }],
    ['models.yml', { kind: 'models' }],
    ['acme/index.md', { kind: 'owner', owner: 'acme' }],
    ['acme/code-review/index.md', { kind: 'repository', owner: 'acme', name: 'code-review' }],
    ['acme/code-review/versions/1.10.0.md', { kind: 'version', owner: 'acme', name: 'code-review', version: '1.10.0' }],
    ['acme/versions/versions/0.0.0.md', { kind: 'version', owner: 'acme', name: 'versions', version: '0.0.0' }],
    ['constructor/constructor/index.md', { kind: 'repository', owner: 'constructor', name: 'constructor' }],
  ]
  test.each(places)('%s', (path, place) => {
    expect(parsePath(path)).toEqual({ value: place })
    expect(formatPath(place)).toBe(path)
  })

  test.each([
    ...words`
      / index.md README.md usage.yaml Usage.json ./usage.json usage.json/ acme acme/ acme/usage.json
      acme/index.markdown acme/INDEX.md acme/Index.md /acme/index.md ./acme/index.md ../acme/index.md acme//index.md
      Acme/index.md api/index.md con/a/index.md null/a/versions/1.0.0.md acme-/index.md a--b/index.md .git/index.md
      acme/code-review acme/code-review/ acme/code-review/readme.md acme/Code/index.md acme/a_b/index.md
      acme/../index.md acme/code-review/1.0.0.md acme/code-review/versions acme/code-review/versions/
      acme/code-review/versions/1.0.md acme/code-review/versions/v1.0.0.md acme/code-review/versions/01.0.0.md
      acme/code-review/versions/1.0.0-rc.1.md acme/code-review/versions/1.0.0 acme/code-review/versions/1.0.0.MD
      acme/code-review/versions/1.0.0.md.md acme/code-review/versions/1.0.0.md/x acme/code-review/Versions/1.0.0.md
      acme/code-review/versions/index.md acme/code-review/versions/1.0.0.txt acme/a/b/index.md acme/%61/index.md
    `,
    ...['', 'acme\\code-review\\index.md', 'acme/code-review/versions/1.0.0.md\n', 'acme/index.md\0', 'е/index.md'],
  ])('rejects %j', (path) => {
    expect(parsePath(path)).toEqual({ problems: [{ key: '', message: expect.stringMatching(/^expected /) }] })
  })

  test('round-trip: a parsed path formats to the same path, and a formatted path parses to the same place', () => {
    const owner = fc
      .stringMatching(/^[a-z0-9](?:[a-z0-9]|-[a-z0-9]){0,18}$/)
      .filter((text) => parsePath(text).problems !== undefined)
    const number = fc.oneof(fc.nat(20), fc.nat(999_999))
    const version = fc.tuple(number, number, number).map((parts) => parts.join('.'))
    const place: fc.Arbitrary<Place> = fc.oneof(
      fc.record({ kind: fc.constant('owner' as const), owner }),
      fc.record({ kind: fc.constant('repository' as const), owner, name: owner }),
      fc.record({ kind: fc.constant('version' as const), owner, name: owner, version }),
    )
    const reserved =
      /^(404|api|assets|auth|badges|cli|clients|data|docs|healthz|index|mcp|metrics|rate-limited|readyz|search|settings|tags|admin|me|new|null|undefined|con|prn|aux|nul|(com|lpt)[1-9])$/
    fc.assert(
      fc.property(place, (given) => {
        fc.pre(!('owner' in given) || !reserved.test(given.owner))
        expect(parsePath(formatPath(given))).toEqual({ value: given })
      }),
      { numRuns: 300 },
    )
    const piece = fc.constantFrom(
      'acme',
      'a',
      'api',
      'index.md',
      'versions',
      '1.0.0.md',
      '1.0.0',
      '',
      '.',
      '..',
      'A',
      'usage.json',
      '\0',
    )
    let places = 0
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join('/')),
          anyText,
        ),
        (path) => {
          const found = parsePath(path).value
          if (!found) return
          places++
          expect(formatPath(found)).toBe(path)
        },
      ),
      { numRuns: 1000, examples: [['acme/x/versions/1.0.0.md'], ['usage.json']] },
    )
    expect(places).toBeGreaterThan(1)
  })
})
