// Reads the whole content folder into an in-memory catalogue, for the dev server and tests.
import type { Config } from '../../src/config.ts'
import { buildCatalogue, type Catalogue } from '../catalogue/catalogue.ts'
import { readContentDir } from '../stores/content/content-dir.ts'
import { ContentError } from './content-error.ts'

/** Loads the configured content folder. @throws ContentError if it has problems */
export function loadCatalogue({ contentDir, baseUrl, buildDay, readAccess }: Config): Catalogue {
  const { tree, problems } = readContentDir(contentDir)
  if (problems.length > 0) throw new ContentError(problems)
  return buildCatalogue(tree, { baseUrl, day: buildDay, isForReaders: readAccess.kind === 'members' })
}
