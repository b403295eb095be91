// Hands the records from the integration of `npm run dev` to its middleware, which Vite loads apart: they share nothing but the process.
import type { PageSources } from '../../server/pages/page-data.ts'

const PLACE = Symbol.for('prompt-hub.dev-sources')

/** Puts them in place. */
export function setDevSources(sources: PageSources): void {
  Reflect.set(globalThis, PLACE, sources)
}

/** What was put in place. */
export function devSources(): PageSources {
  return Reflect.get(globalThis, PLACE)
}
