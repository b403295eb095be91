// Owns the way from the content folder to a catalogue, whole or with what is broken left out, and the error that names every problem on the way.
import type { Config } from '../../config.ts'
import { buildCatalogue, type Catalogue } from '../../domain/catalogue/catalogue.ts'
import { concludeEntry, type EntryParts, nameParts } from '../../domain/catalogue/entry.ts'
import { groupProblems } from '../../domain/content/last-good.ts'
import { formatProblem, type Problem } from '../../domain/content/problems.ts'
import { digestText } from '../../ports/measure.ts'
import { type ContentOptions, openContentDir } from '../../stores/content-dir.ts'
import { sayIgnored } from '../../stores/content-files.ts'
import type { Outlines } from '../../stores/sound-repository.ts'

/** A catalogue and how it came about. */
export interface LoadedCatalogue {
  catalogue: Catalogue
  filesRead: number
  /** Stands for the state of the content folder (content-dir.ts); undefined when it cannot be told. */
  fingerprint: string | undefined
  /** A line about files that were passed by, or undefined. */
  ignored: string | undefined
  /** What is wrong in the content and was therefore left as it was, a line each. */
  problems: string[]
  /** The repositories and owners that were left as they were, by full name or handle. */
  broken: string[]
}

/** Loads the catalogue; called again, it reads only files that changed. */
export interface CatalogueLoader {
  /** @throws ContentError when anything in the content folder is wrong */
  load(): LoadedCatalogue
  /** Loads what can be served: a broken file is replaced by its last good state, or left out when it had none. @throws ContentError when the folder cannot be read at all */
  loadServable(): LoadedCatalogue
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

/** How outlines of repositories are made. @param baseUrl the hub's own address, without a final slash */
export function outlinesBelow(baseUrl: string): Outlines {
  const partsOf = (stats: EntryParts['stats']) => ({ baseUrl, stats, broken: [] })
  return {
    nameGiven: (stats) => nameParts(partsOf(stats)),
    make: (files, stats) => concludeEntry(files, partsOf(stats), digestText),
  }
}

/**
 * Opens the content folder of the settings.
 *
 * @param given where parsed files are kept beyond this process, the day in UTC for a process that may outlive the one it began on, and what a look at the folder found just now
 */
export function openCatalogue(
  { contentDir, baseUrl, buildDay }: Config,
  given: Pick<ContentOptions, 'cache' | 'listing'> & { today?: () => string } = {},
): CatalogueLoader {
  const read = openContentDir(contentDir, { ...given, outlines: outlinesBelow(baseUrl) })
  const today = given.today ?? (() => buildDay)
  return {
    load() {
      const { tree, problems, filesRead, fingerprint, ignored } = read()
      if (problems.length > 0) throw new ContentError(problems)
      const catalogue = buildCatalogue(tree, { baseUrl, day: today() })
      return { catalogue, filesRead, fingerprint, ignored: sayIgnored(ignored), problems: [], broken: [] }
    },
    loadServable() {
      const { servable, problems, filesRead, fingerprint, ignored } = read()
      // When the folder or its disk is gone for a moment, the site must not become empty, so this ends the loading.
      if (problems.some(({ file }) => file === 'content')) throw new ContentError(problems)
      const broken = groupProblems(problems)
      const catalogue = buildCatalogue(servable(), { baseUrl, day: today(), broken })
      return {
        catalogue,
        filesRead,
        fingerprint,
        ignored: sayIgnored(ignored),
        problems: problems.map((one) => sayProblem(one).trim()),
        broken: [...broken.keys()],
      }
    },
  }
}

/** One line for a problem: `file: key: what was expected`. */
function sayProblem(problem: Problem): string {
  return `  ${problem.file}: ${formatProblem(problem)}`
}
