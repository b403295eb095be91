// Passes data from the integration for `npm run dev` to its middleware, which Vite loads separately, so that they share only the process.
import type { PageSources } from '../../server/pages/page-data.ts'

const PLACE = Symbol.for('prompt-hub.dev-sources')

/** Stores the data. */
export function setDevSources(sources: PageSources): void {
  Reflect.set(globalThis, PLACE, sources)
}

/** Returns the stored data. */
export function devSources(): PageSources {
  return Reflect.get(globalThis, PLACE)
}
