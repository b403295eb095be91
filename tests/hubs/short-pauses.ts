// Loaded into a hub before its own code, with `NODE_OPTIONS=--import=…`: its builder pauses for a tenth of the time before
// it looks again, tries again or removes what is old. No limit of a request or a program is shorter.
import { workerData } from 'node:worker_threads'

const MIN_PAUSE_MS = 1_000
const shorten = (ms = 0) => (ms < MIN_PAUSE_MS ? ms : ms / 10)

if (workerData?.contentDir !== undefined)
  for (const name of ['setTimeout', 'setInterval'] as const) {
    const start: (run: () => void, ms?: number) => NodeJS.Timeout = globalThis[name]
    Object.assign(globalThis, { [name]: (run: () => void, ms?: number) => start(run, shorten(ms)) })
  }
