// Passes page data from the `npm run dev` integration to its middleware. Vite loads the middleware separately, so the two share only the process.
import type { HubProfile } from '../../ports/pages.ts'
import type { PageSources } from '../../server/pages/page-data.ts'

type DevSources = PageSources & { profile: HubProfile }

const PLACE = Symbol.for('prompt-hub.dev-sources')

export function setDevSources(sources: DevSources): void {
  Reflect.set(globalThis, PLACE, sources)
}

export function devSources(): DevSources {
  return Reflect.get(globalThis, PLACE)
}
