// The hosts against which the end-to-end suites run.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeSiteFolder } from '../hubs/build-site.ts'
import { startProcess } from '../hubs/processes.ts'
import { openClient, poll } from './client.ts'

export type Server = {
  base: string
  log: () => string
  stop: () => Promise<void>
}

export type Target = {
  name: string
  /** The base URL of a hub that is already running; if omitted, `start` starts one. */
  address?: string
  start: (settings: { contentDir: string; limit: number }) => Promise<Server>
}

const READY: Record<string, RegExp> = { preview: /Loaded function read\b/ }

/**
 * Makes a folder with copies of a few functions, because Netlify's local server bundles each one at its start, for
 * seconds. tests/netlify/bundles.test.ts bundles and calls them all.
 */
function copyFunctions(...names: string[]): string {
  const folder = makeSiteFolder('functions')
  for (const name of names) {
    const text = readFileSync(`netlify/functions/${name}.mts`, 'utf8')
    writeFileSync(join(folder, `${name}.mts`), text.replaceAll("'../../", "'../../../"))
  }
  return folder
}

export const npmTarget = (script: 'start' | 'preview'): Target => ({
  name: `npm run ${script}`,
  start: async ({ contentDir, limit }) => {
    const functions = script === 'preview' ? [copyFunctions('read', 'pages', 'skills')] : []
    const { base, run } = await startProcess({
      command: ['npm', 'run', script, ...functions.flatMap((folder) => ['--', '--functions', folder])],
      settings: { CONTENT_DIR: contentDir, RATE_LIMIT_PER_MINUTE: String(limit) },
      isReady: async (at, { log }) => {
        const ask = openClient(at)
        // Static files and their 404 responses do not count against any limit.
        const [file, missing, document] = await Promise.all([
          ask('/data/v1/tags.json'),
          ask('/data/v1/nothing.json'),
          ask('/docs'),
        ])
        return (
          file.status === 200 &&
          missing.status === 404 &&
          document.status === 200 &&
          (READY[script]?.test(log()) ?? true)
        )
      },
    })
    const stop = async () => {
      await run.end()
      for (const folder of functions) rmSync(folder, { recursive: true })
      await poll(`port ${new URL(base).port} is free again`, 60_000, () =>
        openClient(base)('/').then(
          () => undefined,
          () => true,
        ),
      )
    }
    return { base, log: run.log, stop }
  },
})

/** Returns a hub that is already running, with this repository's own content. */
export const runningAt = (address: string): Target => ({
  name: address,
  address,
  start: () => Promise.reject(new Error(`${address} runs already`)),
})
