// Owns `npm run serve` over a site of its own, so that no other build changes it meanwhile.
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { readConfig } from '../../src/config.ts'
import { buildRecordPath } from '../../src/host/serve-sites.ts'
import { openCatalogue } from '../../src/site/build/load-catalogue.ts'
import { writeBuildRecord } from '../../src/stores/build-record.ts'
import type { Server } from '../e2e/targets.ts'
import { writeSite } from './mcp.ts'
import { startProcess } from './processes.ts'

/** Serves what the MCP endpoint reads of a built site. */
export async function serveBuilt(contentDir: string): Promise<Server> {
  const dir = mkdtempSync(join(tmpdir(), 'hub-mcp-serve-'))
  const catalogue = openCatalogue(readConfig({ CONTENT_DIR: contentDir })).load().catalogue
  writeSite(catalogue, join(dir, 'dist'))
  writeBuildRecord(buildRecordPath(join(dir, 'dist')), {
    built_at: new Date().toISOString(),
    source: { read_until: null, commits: [], broken: [] },
  })
  // The host loads the functions of the folder it runs in.
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
