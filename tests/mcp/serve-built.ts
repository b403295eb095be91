// Starts `npm run serve` over a site of its own, so that no other build changes it meanwhile.
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { readConfig } from '../../src/config.ts'
import { openCatalogue } from '../../src/site/build/load-catalogue.ts'
import { poll } from '../e2e/client.ts'
import { freePort, launch, type Server } from '../e2e/targets.ts'
import { writeSite } from './open-hub.ts'

/** Serves what the endpoint reads of a built site. */
export async function serveBuilt(contentDir: string): Promise<Server> {
  const dir = mkdtempSync(join(tmpdir(), 'hub-mcp-serve-'))
  const port = await freePort()
  const base = `http://127.0.0.1:${port}`
  writeSite(openCatalogue(readConfig({ CONTENT_DIR: contentDir, SITE_URL: base })).load().catalogue, join(dir, 'dist'))
  // The host loads the functions of the folder it runs in.
  symlinkSync(resolve('netlify'), join(dir, 'netlify'))
  const script = resolve('scripts/serve.ts')
  const settings = { PORT: String(port), SITE_URL: base, CONTENT_DIR: resolve(contentDir) }
  const run = launch('sh', ['-c', 'cd "$1" && exec node "$2"', 'sh', dir, script], settings)
  const stop = async () => {
    await run.end()
    rmSync(dir, { recursive: true, force: true })
  }
  try {
    await poll('the host answers', 240_000, async () => {
      if (run.ended()) throw new Error(`the host ended by itself:\n${run.log()}`)
      return fetch(`${base}/data/v1/tags.json`).then(
        ({ status }) => status === 200 || undefined,
        () => undefined,
      )
    })
  } catch (error) {
    await stop()
    throw error
  }
  return { base, log: run.log, stop }
}
