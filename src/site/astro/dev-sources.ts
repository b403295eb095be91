// Passes page data from the `npm run dev` integration to its middleware. Vite loads the middleware separately, so the two share only the process.
import type { PageSources } from '../../server/pages/page-data.ts'

const PLACE = Symbol.for('prompt-hub.dev-sources')

export function setDevSources(sources: PageSources): void {
  Reflect.set(globalThis, PLACE, sources)
}

export function devSources(): PageSources {
  return Reflect.get(globalThis, PLACE)
}
