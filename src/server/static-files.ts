// Serves the built site's own files the same way as Netlify.
import { lookup } from 'mrmime'
import type { SiteFiles } from '../built/site-files.ts'
import { CACHE_CONTROL, COMPRESSIBLE_VARY, SHARED_CACHE_CONTROL } from '../domain/api/caching.ts'
import { READ_METHODS } from '../domain/api/routes.ts'
import { headersOf } from '../domain/api/site-headers.ts'
import { pathOf } from './request.ts'
import { respondToOptions, respondWithBytes } from './respond.ts'

/** Responds with the file at a path; returns undefined if there is none. */
export async function findFile(request: Request, files: SiteFiles): Promise<Response | undefined> {
  for (const path of candidatesFor(pathOf(request.url))) {
    const bytes = await files.read(path)
    if (bytes) return respondWithBytes(request, bytes, 200, headersFor(path))
  }
  return undefined
}

/** Responds to a preflight request for a file that other origins may read; returns undefined for all other files. */
export async function preflightFile(request: Request, files: SiteFiles): Promise<Response | undefined> {
  for (const path of candidatesFor(pathOf(request.url))) {
    if ('Access-Control-Allow-Origin' in headersOf(path) && (await files.read(path)))
      return respondToOptions(READ_METHODS)
  }
  return undefined
}

/** Returns the files to try, in the same order as Netlify. */
function candidatesFor(path: string): string[] {
  const bare = path.endsWith('/') ? path.slice(0, -1) : path
  return path.endsWith('/') ? [`${bare}/index.html`, `${bare}.html`] : [path, `${path}.html`, `${path}/index.html`]
}

function headersFor(path: string): Record<string, string> {
  const headers = headersOf(path)
  const isChanging = headers['Cache-Control'] === CACHE_CONTROL.changing
  return {
    'Content-Type': mediaTypeOf(path),
    Vary: COMPRESSIBLE_VARY,
    ...headers,
    ...(isChanging && { 'CDN-Cache-Control': SHARED_CACHE_CONTROL }),
  }
}

function mediaTypeOf(path: string): string {
  const type = lookup(path) ?? (path.endsWith('.ico') ? 'image/vnd.microsoft.icon' : 'application/octet-stream')
  return type.startsWith('text/') || type === 'application/json' ? `${type}; charset=utf-8` : type
}
