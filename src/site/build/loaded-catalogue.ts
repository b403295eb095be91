// Owns the catalogue that the pages are made of: loaded by the integration, once a build, and found by the pages.
import type { Catalogue } from '../../domain/catalogue/catalogue.ts'

/** Pages are bundled apart from the integration, so they share nothing with it but the process. */
const PLACE = Symbol.for('prompt-hub.catalogue')

/** Puts the catalogue in place. */
export function setCatalogue(catalogue: Catalogue): void {
  Reflect.set(globalThis, PLACE, catalogue)
}

/** Whether a page is being rendered whose inputs are all in its props. */
const WITHHELD = Symbol.for('prompt-hub.catalogue-withheld')

/**
 * The catalogue that was put in place last: for `getStaticPaths`, and for pages that are rendered at every build.
 *
 * @throws when there is none, which means that the integration is missing; and while a page with a `cacheKey` is rendered, which would not be rendered
 *   again when something in the catalogue changes that its key does not cover: such a page gets what it shows as props
 */
export function getCatalogue(): Catalogue {
  if (Reflect.get(globalThis, WITHHELD) === true)
    throw new Error(
      'A page with a cacheKey reads the catalogue. Hand over what it needs as props, by keyed() of page-key.ts.',
    )
  const catalogue: Catalogue | undefined = Reflect.get(globalThis, PLACE)
  if (!catalogue)
    throw new Error('The catalogue is not loaded: src/site/build/integration.ts is missing from astro.config.mjs.')
  return catalogue
}

/** The hub's own address: the one thing of the catalogue that every page may read, for a site of another address is another site. */
export function getBaseUrl(): string {
  const catalogue: Catalogue | undefined = Reflect.get(globalThis, PLACE)
  return catalogue?.baseUrl ?? getCatalogue().baseUrl
}

/** Does work during which nobody gets the catalogue. One at a time. */
export async function withoutCatalogue<Value>(work: () => Promise<Value>): Promise<Value> {
  Reflect.set(globalThis, WITHHELD, true)
  try {
    return await work()
  } finally {
    Reflect.set(globalThis, WITHHELD, false)
  }
}
