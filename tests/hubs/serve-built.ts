// Runs `npm run serve` on a separately built site.
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Server } from '../e2e/targets.ts'
import { buildSite } from './build-site.ts'
import { startProcess } from './processes.ts'

/** Builds a site from a content folder and serves it. */
export async function serveBuilt(contentDir: string): Promise<Server> {
  const dir = mkdtempSync(join(tmpdir(), 'hub-mcp-serve-'))
  await buildSite(join(dir, 'dist'), { CONTENT_DIR: resolve(contentDir) })
  // The host loads the functions from its working directory.
  symlinkSync(resolve('netlify'), join(dir, 'netlify'))
  const { base, run } = await startProcess({
    command: ['node', resolve('scripts/serve.ts')],
    settings: { CONTENT_DIR: resolve(contentDir) },
    cwd: dir,
  })
  return {
    base,
    log: run.log,
    stop: async () => {
      await run.end()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
