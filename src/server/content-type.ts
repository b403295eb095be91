// Reads the Content-Type of a request.

/** The refusal of a text in another encoding. */
export const NOT_UTF_8 =
  'The Content-Type names another charset than UTF-8. Send UTF-8, with "charset=utf-8" or without a charset.'

/** Returns the media type in lower case, without parameters; empty if there is none. RFC 9110 section 8.3 */
export function mediaTypeOf(headers: Headers): string {
  return partsOf(headers)[0]!.trim()
}

/** Returns whether a text is UTF-8, of which ASCII is a part, as far as its `charset` says. */
export function isUtf8(headers: Headers): boolean {
  return partsOf(headers)
    .slice(1)
    .map((parameter) => parameter.split('='))
    .every(([name = '', value = '']) => name.trim() !== 'charset' || UTF_8.has(value.trim().replaceAll('"', '')))
}

const partsOf = (headers: Headers) => (headers.get('Content-Type') ?? '').toLowerCase().split(';')

const UTF_8: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'us-ascii'])
