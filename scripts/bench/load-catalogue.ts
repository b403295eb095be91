// Reads the whole content folder into an in-memory catalogue, for measurements and tests.
import { buildCatalogue, type Catalogue } from '../../src/catalogue/catalogue.ts'
import type { Config } from '../../src/config.ts'
import { readContent } from '../content/read-content.ts'

/** Loads the configured content folder. @throws ContentError if it has problems */
export function loadCatalogue({ contentDir, baseUrl, buildDay, readAccess }: Config): Catalogue {
  return buildCatalogue(readContent(contentDir), {
    baseUrl,
    day: buildDay,
    isForReaders: readAccess.kind === 'members',
  })
}
