// Changes the headers of a private hub's responses, so that only the reader's own cache may keep them.

/** Headers for shared caches, which must not keep anything. */
const FOR_SHARED_CACHES = /^(?:.*-)?cdn-cache-control$|^netlify-|^surrogate-|^(?:.*-)?cache-tags?$/i

/** The request headers that identify a reader. */
const READER_HEADERS = 'Authorization, Cookie'

/** Returns the Cache-Control for the reader's own cache. A response must be fresh or checked again, because the reader may have lost the right to read it. */
function cacheControlFor(given: string | null | undefined): string {
  if (!given) return 'no-store'
  return given
    .replace(/\bpublic\b/, 'private')
    .replace(/,?\s*(?:stale-while-revalidate|stale-if-error|s-maxage)=\d+/g, '')
}

const varyFor = (given: string | null | undefined): string => (given ? `${given}, ${READER_HEADERS}` : READER_HEADERS)

/** Returns the headers of a response for its reader alone. */
export function headersForReader(given: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const left = Object.entries(given).filter(([name]) => !FOR_SHARED_CACHES.test(name))
  return {
    ...Object.fromEntries(left),
    'Cache-Control': cacheControlFor(given['Cache-Control']),
    Vary: varyFor(given.Vary),
  }
}

/** Changes the headers of a response in the same way. */
export function keepForReader(headers: Headers): void {
  for (const name of [...headers.keys()]) if (FOR_SHARED_CACHES.test(name)) headers.delete(name)
  headers.set('Cache-Control', cacheControlFor(headers.get('Cache-Control')))
  headers.set('Vary', varyFor(headers.get('Vary')))
}
