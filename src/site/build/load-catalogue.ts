// Reads the content folder into a catalogue in memory, whole: what the dev server shows, and tests.
import type { Config } from '../../config.ts'
import { buildCatalogue, type Catalogue } from '../../domain/catalogue/catalogue.ts'
import { readContentDir } from '../../stores/content/content-dir.ts'
import { sayIgnored } from '../../stores/content/content-files.ts'
import { ContentError } from './content-error.ts'

/** A catalogue and how it came about. */
interface LoadedCatalogue {
  catalogue: Catalogue
  filesRead: number
  /** A line about files that were passed by, or undefined. */
  ignored: string | undefined
}

/** Loads the catalogue. */
export interface CatalogueLoader {
  /** @throws ContentError when anything in the content folder is wrong */
  load(): LoadedCatalogue
}

/** Opens the content folder of the settings. */
export function openCatalogue({ contentDir, baseUrl, buildDay }: Config): CatalogueLoader {
  return {
    load() {
      const { tree, problems, filesRead, ignored } = readContentDir(contentDir)
      if (problems.length > 0) throw new ContentError(problems)
      return { catalogue: buildCatalogue(tree, { baseUrl, day: buildDay }), filesRead, ignored: sayIgnored(ignored) }
    },
  }
}
