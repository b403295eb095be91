// Tests how the search page reads its query, with the operators among the words.
import { expect, test } from 'vitest'
import { formatSearchPageQuery, parseSearchPageQuery } from './search-page-query.ts'

//  typed                                       address
test.each([
  ['review', '/search?q=review'],
  ['tag:security review', '/search?q=review&tag=security'],
  ['review TAG:Security tag:go', '/search?q=review&tag=security&tag=go'],
  ['owner:acme', '/search?owner=acme'],
  ['owner:acme owner:other', '/search?owner=other'],
  ['license:MIT is:skill a b', '/search?q=a+b&license=MIT&kind=skill'],
  ['is:chat is:text', '/search?kind=text'],
  ['is:odd', '/search?q=is%3Aodd'],
  ['tag:Not_a_tag owner:-x', '/search?q=tag%3ANot_a_tag+owner%3A-x'],
  ['tag: review', '/search?q=tag%3A+review'],
  ['retag:review', '/search?q=retag%3Areview'],
  [`license:${'x'.repeat(101)}`, `/search?q=license%3A${'x'.repeat(101)}`],
])('“%s” is %s', (typed, address) => {
  const question = parseSearchPageQuery(new URLSearchParams({ q: typed }))
  expect(formatSearchPageQuery(question)).toBe(address)
  // A form sends the filters beside the words.
  const again = parseSearchPageQuery(new URL(address, 'http://localhost').searchParams)
  expect(formatSearchPageQuery(again)).toBe(address)
})

test('an operator counts beside the same filter once', () => {
  const question = parseSearchPageQuery(new URLSearchParams('q=tag:go&tag=go&kind=odd&results=yes'))
  expect(formatSearchPageQuery(question)).toBe('/search?tag=go&results=yes')
})
