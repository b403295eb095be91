// The headers of static files. The build writes Netlify's `_headers` from this table, and the Node server uses it directly.
import { CACHE_CONTROL } from './caching.ts'

/** A pattern in the format of Netlify's `_headers` (a path, or a prefix followed by `*`) and the headers of matching files. */
interface HeaderRule {
  pattern: string
  headers: Readonly<Record<string, string>>
}

/** Allows only files from this site, and no inline scripts, inline styles or frames. Forms submit only to this site; sign-in with GitHub is a link, so it needs no exception. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' https://avatars.githubusercontent.com",
  "font-src 'self'",
  "manifest-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Lets a browser reach a hub with https only over https for a year, also if somebody on the network wants otherwise. */
export const HTTPS_ONLY = { 'Strict-Transport-Security': 'max-age=31536000' } as const

/** Headers for machine-readable responses: pages from any origin may read these responses, and query parameters do not affect them. */
const OPEN = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'ETag',
  'No-Vary-Search': 'params',
}

/** The rules, lowest precedence first: if several rules set a header, the last rule wins. */
export const HEADER_RULES: readonly HeaderRule[] = [
  {
    pattern: '/*',
    headers: {
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'strict-origin-when-cross-origin',
      'Content-Security-Policy': PAGE_POLICY,
      'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cache-Control': 'public, max-age=0, must-revalidate',
    },
  },
  { pattern: '/assets/*', headers: { 'Cache-Control': 'public, max-age=31536000, immutable' } },
  {
    pattern: '/cli/*',
    headers: {
      ...OPEN,
      'Content-Type': 'text/plain; charset=utf-8',
      'Content-Security-Policy': "default-src 'none'; sandbox",
    },
  },
  { pattern: '/clients/*', headers: { ...OPEN, 'Content-Security-Policy': "default-src 'none'; sandbox" } },
  { pattern: '/docs/mcp/server.json', headers: OPEN },
  { pattern: '/docs/renovate.json', headers: OPEN },
  {
    pattern: '/data/*',
    headers: {
      ...OPEN,
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'Cache-Control': CACHE_CONTROL.changing,
    },
  },
]

/** Returns the headers for the file at a path. */
export function headersOf(path: string): Record<string, string> {
  const matching = HEADER_RULES.filter(({ pattern }) =>
    pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern,
  )
  return Object.assign({}, ...matching.map(({ headers }) => headers))
}

/** Formats the table as a `_headers` file. Netlify always serves it with https. @see https://docs.netlify.com/manage/routing/headers/ */
export function formatHeadersFile(): string {
  const rules = [...HEADER_RULES, { pattern: '/*', headers: HTTPS_ONLY }]
  return rules
    .map(({ pattern, headers }) =>
      [pattern, ...Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`), ''].join('\n'),
    )
    .join('\n')
}
