// The addresses of a hub for readers that everybody may request: health checks, sign-in, and files without any data. Every other address is closed. docs/contract.md section 13

/** What strangers get at an address. */
type Openness =
  /** What readers get. */
  | 'whole'
  /** What readers get, if it is a file; otherwise they get the same 401 as everywhere. */
  | 'file'
  /** What a reader without a session gets: the page that leads to the sign-in. */
  | 'signed-out'
  /** A short form, which says nothing about the content. */
  | 'short'

const OPEN: Readonly<Record<string, Openness>> = {
  '/healthz': 'short',
  '/readyz': 'short',
  '/settings': 'signed-out',
  '/auth/sign-in': 'whole',
  '/auth/callback': 'whole',
  '/auth/callback/oidc': 'whole',
  '/auth/local': 'whole',
  '/auth/invitation': 'whole',
  '/auth/sign-out': 'whole',
  '/auth/sign-out-everywhere': 'whole',
  '/.well-known/security.txt': 'file',
  '/security.txt': 'file',
  '/favicon.ico': 'file',
  '/favicon.svg': 'file',
  '/apple-touch-icon.png': 'file',
  '/icon-512.png': 'file',
  '/manifest.webmanifest': 'file',
}

/** Folders of files: the styles, scripts and fonts of pages, and the downloads of the clients. */
const OPEN_FOLDERS = /^\/(?:assets|cli|clients)\/[\w./+-]+$/

/** Returns how open an address is; undefined if it is closed. An address must match exactly: another spelling of it is closed. @param path as received, undecoded */
export function opennessOf(path: string): Openness | undefined {
  if (Object.hasOwn(OPEN, path)) return OPEN[path]
  return OPEN_FOLDERS.test(path) && !path.includes('..') ? 'file' : undefined
}
