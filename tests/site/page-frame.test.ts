// Shows that whatever a page says stands in its frame as it is: marks, `$&` and markup in it are text like any other.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FRAME_HEAD, FRAME_MAIN, fillFrame, parseFrame } from '../../src/site/build/page-frame.ts'

const escapeQuoted = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
const FRAME = `<meta name="description" content="${FRAME_HEAD.description}"><link href="https://hub.test${FRAME_HEAD.canonical}"><meta content="${FRAME_HEAD.title}"><main>${FRAME_MAIN}</main>`
const said = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(FRAME_HEAD.title, FRAME_MAIN, '$&', "$'", '$1', '<script>', '"><img>', '&amp;', ''),
)

test('every page is its frame with its own things in it, whatever they are', () => {
  const frame = parseFrame(FRAME)
  fc.assert(
    fc.property(said, said, said, (title, description, main) => {
      const head = { title, description, path: '/acme/review' }
      expect(fillFrame(frame, head, main)).toBe(
        `<meta name="description" content="${escapeQuoted(description)}"><link href="https://hub.test/acme/review"><meta content="${escapeQuoted(title)}"><main>${main}</main>`,
      )
    }),
    { numRuns: 1000 },
  )
})
