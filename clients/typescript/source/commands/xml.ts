// Reads XML as far as a JUnit file needs it, in one pass: elements with their attributes, without entities of its own. Text is skipped.

/** Why a text is no XML that can be read. */
export class XmlProblem extends Error {}

const MAX_DEPTH = 64
const NAME = /[A-Za-z_:\u0080-\uffff][-.\w:\u0080-\uffff]*/y
const SPACE = /[ \t\r\n]*/y
const REFERENCE = /&(?:#(\d{1,7})|#x([\da-fA-F]{1,6})|(lt|gt|amp|quot|apos));|&/g
const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }
/** XML 1.0 section 2.2. */
const FORBIDDEN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u

/** Reads an XML document. @throws XmlProblem, and what the functions throw */
export function readXml(
  text: string,
  start: (name: string, attributes: ReadonlyMap<string, string>) => void,
  end: (name: string) => void,
): void {
  const open: string[] = []
  let at = 0
  let hasRoot = false
  const problem = (what: string) =>
    new XmlProblem(`expected XML: line ${text.slice(0, at).split('\n').length}, ${what}`)
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at
    const [found = ''] = pattern.exec(text) ?? []
    at += found.length
    return found
  }
  const skipTo = (mark: string) => {
    const found = text.indexOf(mark, at)
    if (found < 0) throw problem(`${mark} is missing`)
    at = found + mark.length
  }
  const forbidden = FORBIDDEN.exec(text)
  if (forbidden) {
    at = forbidden.index
    throw problem('not well-formed')
  }
  const requireSpace = (piece: string) => {
    if (open.length === 0 && piece.trim() !== '') throw problem('text outside of the root element')
    piece.replace(REFERENCE, (whole) => {
      if (whole === '&') throw problem('undefined entity')
      return whole
    })
  }
  while (at < text.length) {
    const next = text.indexOf('<', at)
    requireSpace(text.slice(at, next < 0 ? undefined : next))
    if (next < 0) break
    at = next
    if (text.startsWith('<!--', at)) skipTo('-->')
    else if (text.startsWith('<?', at)) {
      // The text has been decoded as UTF-8.
      const encoding = /^<\?xml [^>]{0,80}encoding=["']([^"']{1,40})/.exec(text.slice(at, at + 200))?.[1]
      if (encoding !== undefined && !/^(?:utf-8|us-ascii)$/i.test(encoding)) throw problem(`encoding ${encoding}`)
      skipTo('?>')
    } else if (text.startsWith('<![CDATA[', at) && open.length > 0) skipTo(']]>')
    else if (text.startsWith('<!', at)) throw new XmlProblem('expected no DOCTYPE, which may define entities')
    else if (text.startsWith('</', at)) {
      at += 2
      const name = take(NAME)
      take(SPACE)
      if (name === '' || name !== open.pop() || text[at++] !== '>') throw problem('mismatched tag')
      end(name)
    } else {
      at++
      const name = take(NAME)
      if (name === '' || (open.length === 0 && hasRoot)) throw problem('not well-formed')
      if (open.length >= MAX_DEPTH) throw new XmlProblem('expected less deeply nested XML')
      hasRoot = true
      start(name, readAttributes())
      if (text.startsWith('/>', at)) {
        at += 2
        end(name)
      } else if (text[at++] === '>') open.push(name)
      else throw problem('not well-formed')
    }
  }
  if (open.length > 0 || !hasRoot) throw problem('no element found')

  function readAttributes(): Map<string, string> {
    const found = new Map<string, string>()
    for (;;) {
      const gap = take(SPACE)
      const name = take(NAME)
      if (name === '') return found
      take(SPACE)
      if (gap === '' || found.has(name) || text[at++] !== '=') throw problem('not well-formed')
      take(SPACE)
      const quote = text[at++]
      const close = quote === '"' || quote === "'" ? text.indexOf(quote, at) : -1
      const value = text.slice(at, close)
      if (close < 0 || value.includes('<')) throw problem('not well-formed')
      found.set(name, value.replace(REFERENCE, decodeReference))
      at = close + 1
    }
  }

  function decodeReference(whole: string, decimal?: string, hexadecimal?: string, name?: string): string {
    if (whole === '&') throw problem('undefined entity')
    if (name !== undefined) return NAMED[name]!
    const point = decimal === undefined ? Number.parseInt(hexadecimal!, 16) : Number(decimal)
    if (point > 0x10ffff || FORBIDDEN.test(String.fromCodePoint(point))) throw problem('reference to invalid character')
    return String.fromCodePoint(point)
  }
}
