// The hosts against which the end-to-end suites run.
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

/** A hub that `npm start` starts. */
export const npmStart: Target = {
  name: 'npm start',
  start: async ({ contentDir, limit }) => {
    const { base, run } = await startProcess({
      command: ['npm', 'start'],
      settings: { CONTENT_DIR: contentDir, RATE_LIMIT_PER_MINUTE: String(limit) },
    })
    const stop = async () => {
      await run.end()
      await poll(`port ${new URL(base).port} is free again`, 60_000, () =>
        openClient(base)('/').then(
          () => undefined,
          () => true,
        ),
      )
    }
    return { base, log: run.log, stop }
  },
}

/** Returns a hub that is already running, with this repository's own content. */
export const runningAt = (address: string): Target => ({
  name: address,
  address,
  start: () => Promise.reject(new Error(`${address} runs already`)),
})
