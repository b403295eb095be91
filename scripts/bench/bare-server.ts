// Starts the bare static server, the baseline for all measurements over HTTP.
import { fileURLToPath } from 'node:url'
import { startNode } from './processes.ts'
import type { BenchSite } from './site.ts'

const STATIC_SERVER = fileURLToPath(new URL('static-server.ts', import.meta.url))

/** Serves a site's files with the bare server in a separate process, which the caller must stop. */
export function serveBare({ dir, siteDir }: BenchSite) {
  return startNode((port) => ({ parameters: [STATIC_SERVER, siteDir, String(port)], surroundings: { cwd: dir } }))
}
