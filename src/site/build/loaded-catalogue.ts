// Owns the catalogue that the pages are made of: loaded by the integration, once a build, and found by the pages.
import type { Catalogue } from '../../domain/catalogue/catalogue.ts'

/** Pages are bundled apart from the integration, so they share nothing with it but the process. */
const PLACE = Symbol.for('prompt-hub.catalogue')

/** Puts the catalogue in place. */
export function setCatalogue(catalogue: Catalogue): void {
  Reflect.set(globalThis, PLACE, catalogue)
}

/** The view that a page with a key gets in place of the catalogue while it is rendered (page-facts.ts). */
const VIEW = Symbol.for('prompt-hub.catalogue-view')

/** The catalogue that was put in place last, or the view of it during `withView` and `eachWithView`. @throws when there is none, which means that the integration is missing */
export function getCatalogue(): Catalogue {
  const catalogue: Catalogue | undefined = Reflect.get(globalThis, VIEW) ?? Reflect.get(globalThis, PLACE)
  if (!catalogue)
    throw new Error('The catalogue is not loaded: src/site/build/integration.ts is missing from astro.config.mjs.')
  return catalogue
}

/** Does work during which `getCatalogue` gives a view in place of the catalogue. Only one such work may be under way, because the view is that of the whole process. */
export async function withView<Value>(view: Catalogue, work: () => Promise<Value>): Promise<Value> {
  Reflect.set(globalThis, VIEW, view)
  try {
    return await work()
  } finally {
    Reflect.set(globalThis, VIEW, undefined)
  }
}

/** Takes what is made one after the other, each while `getCatalogue` gives a view in place of the catalogue; whoever takes it has the catalogue itself. */
export function* eachWithView<Value>(view: Catalogue, values: Iterable<Value>): Generator<Value> {
  const steps = Iterator.from(values)
  const next = () => {
    Reflect.set(globalThis, VIEW, view)
    try {
      return steps.next()
    } finally {
      Reflect.set(globalThis, VIEW, undefined)
    }
  }
  for (let step = next(); !step.done; step = next()) yield step.value
}
