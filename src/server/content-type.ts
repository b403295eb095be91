// Reads the Content-Type of a request.

/** The refusal of a text in another encoding. */
export const NOT_UTF_8 =
  'The Content-Type names another charset than UTF-8. Send UTF-8, with "charset=utf-8" or without a charset.'

/** Returns the media type in lower case, without parameters, and whether the text is UTF-8, of which ASCII is a part, as far as the `charset` says (RFC 9110 section 8.3). */
export function readContentType(headers: Headers): { type: string; isUtf8: boolean } {
  const [type = '', ...parameters] = (headers.get('Content-Type') ?? '').toLowerCase().split(';')
  const charsets = parameters
    .map((parameter) => parameter.split('='))
    .filter(([name = '']) => name.trim() === 'charset')
    .map(([, value = '']) => value.trim().replaceAll('"', ''))
  return { type: type.trim(), isUtf8: charsets.every((name) => UTF_8.has(name)) }
}

const UTF_8: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'us-ascii'])
