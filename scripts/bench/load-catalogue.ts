// Reads the whole content folder into an in-memory catalogue, for measurements and tests.
import { ContentError } from '../../packages/build/content-error.ts'
import { buildCatalogue, type Catalogue } from '../../packages/catalogue/catalogue.ts'
import { readContentDir } from '../../packages/stores/content/content-dir.ts'
import type { Config } from '../../src/config.ts'

/** Loads the configured content folder. @throws ContentError if it has problems */
export function loadCatalogue({ contentDir, baseUrl, buildDay, readAccess }: Config): Catalogue {
  const { tree, problems } = readContentDir(contentDir)
  if (problems.length > 0) throw new ContentError(problems)
  return buildCatalogue(tree, { baseUrl, day: buildDay, isForReaders: readAccess.kind === 'members' })
}
