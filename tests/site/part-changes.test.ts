// Tests how a comparison shows which lines come from other prompts, and which of these changed.
import { expect, test } from 'vitest'
import type { VersionRecord } from '../../src/domain/api/schema.ts'
import { renderComparison } from '../../src/site/prompt/render-difference.ts'

type Piece = string | readonly [address: string, text: string]

/** A version whose content is the given pieces, some of which are parts. */
function versionOf(version: string, pieces: readonly Piece[]): VersionRecord {
  let content = ''
  const includes = pieces.flatMap((piece) => {
    const start = Buffer.byteLength(content)
    content += typeof piece === 'string' ? piece : piece[1]
    if (typeof piece === 'string') return []
    const [repository, included] = piece[0].split('@')
    const length = Buffer.byteLength(piece[1])
    return [
      {
        repository,
        range: '*',
        version: included,
        content_sha256: 'a'.repeat(64),
        start,
        length,
        variables: [],
        through: [],
      },
    ]
  })
  return {
    version,
    content,
    includes,
    variables: [],
    parameters: {},
    files: [],
    raw_url: '',
  } as unknown as VersionRecord
}

function compare(before: readonly Piece[], after: readonly Piece[]) {
  const { impact, lines } = renderComparison(versionOf('1.0.0', before), versionOf('1.1.0', after))
  const words = (html: string) =>
    html
      .replace(/<\/?mark>/g, '')
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ')
  return { impact: words(impact), lines: words(lines), html: impact + lines }
}

test('a changed part is named, and its lines say where they come from', () => {
  const { impact, lines, html } = compare(
    ['Höflich.\n', ['acme/house-style@1.4.0', 'Short.\nPlain.'], '\nEnd\n'],
    ['Höflich.\n', ['acme/house-style@1.5.0', 'Short.\nPlain words.'], '\nEnd\n'],
  )
  expect(impact).toContain('Included prompts · Changed acme/house-style 1.4.0 → 1.5.0')
  expect(html).toContain('href="/acme/house-style/v/1.5.0"')
  expect(lines).toContain('Höflich. from acme/house-style 1.4.0 → 1.5.0 Short. Removed: Plain. Added: Plain words. End')
  expect(html.match(/class="line \w+ included"/g)).toHaveLength(3)
})

test('added, removed and unchanged parts', () => {
  const { impact, lines } = compare(
    [['acme/same@1.0.0', 'Same'], '\n', ['acme/gone@1.0.0', 'Gone'], '\nEnd'],
    [['acme/same@1.0.0', 'Same'], '\n', ['acme/new@2.0.0', 'Something new'], '\nEnd'],
  )
  expect(impact).toContain('− Removed acme/gone 1.0.0 + Added acme/new 2.0.0')
  expect(impact).not.toContain('acme/same')
  expect(lines).toContain(
    'from acme/same 1.0.0 Same from acme/gone 1.0.0 Removed: Gone from acme/new 2.0.0 Added: Something new End',
  )
})

test('versions without parts print nothing about them', () => {
  const { html } = compare(['a\n'], ['b\n'])
  expect(html).not.toMatch(/part|includ/i)
})
