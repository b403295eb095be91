// Reads the whole content folder into a catalogue in memory, for the dev server and tests.
import type { Config } from '../../config.ts'
import { buildCatalogue, type Catalogue } from '../../domain/catalogue/catalogue.ts'
import { readContentDir } from '../../stores/content/content-dir.ts'
import { describeIgnored } from '../../stores/content/content-files.ts'
import { ContentError } from './content-error.ts'

/** A catalogue with information about how it was loaded. */
interface LoadedCatalogue {
  catalogue: Catalogue
  filesRead: number
  /** A line about ignored files, or undefined. */
  ignored: string | undefined
}

/** Loads the catalogue. */
export interface CatalogueLoader {
  /** @throws ContentError if the content folder has problems */
  load(): LoadedCatalogue
}

/** Opens the configured content folder. */
export function openCatalogue({ contentDir, baseUrl, buildDay }: Config): CatalogueLoader {
  return {
    load() {
      const { tree, problems, filesRead, ignored } = readContentDir(contentDir)
      if (problems.length > 0) throw new ContentError(problems)
      return {
        catalogue: buildCatalogue(tree, { baseUrl, day: buildDay }),
        filesRead,
        ignored: describeIgnored(ignored),
      }
    },
  }
}
