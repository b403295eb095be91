// Owns the way from the content folder to a catalogue, or to a report of everything that is wrong in it.
import type { Config } from '../../config.ts'
import { buildCatalogue, type Catalogue } from '../../domain/catalogue/catalogue.ts'
import { formatProblem, type Problem } from '../../domain/content/problems.ts'
import { openContentDir } from '../../stores/content-dir.ts'

/** Loads the catalogue; called again, it reads only files that changed. */
export interface CatalogueLoader {
  /** @throws ContentError when anything in the content folder is wrong */
  load(): { catalogue: Catalogue; filesRead: number }
}

/** The content folder has problems; the message lists all of them, a line each. */
export class ContentError extends Error {
  override readonly name = 'ContentError'
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    super(
      `${problems.length} ${problems.length === 1 ? 'problem' : 'problems'} in the content:\n${problems.map(sayProblem).join('\n')}`,
    )
    this.problems = problems
  }
}

/** Opens the content folder of the settings. */
export function openCatalogue({ contentDir, baseUrl, buildDay }: Config): CatalogueLoader {
  const read = openContentDir(contentDir)
  return {
    load() {
      const { tree, problems, filesRead } = read()
      if (problems.length > 0) throw new ContentError(problems)
      return { catalogue: buildCatalogue(tree, { baseUrl, day: buildDay }), filesRead }
    },
  }
}

/** One line for a problem: `file: key: what was expected`. */
export function sayProblem(problem: Problem): string {
  return `  ${problem.file}: ${formatProblem(problem)}`
}
