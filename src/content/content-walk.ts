// Lists every path of the content folder, on disk or in git, with its state in each.
import type { Git } from '../git/git-command.ts'
import { type GitFile, listEdited, listIndex, listTree } from '../git/git-objects.ts'
import { comparePaths, type ListingProblems, listContentFiles } from './content-files.ts'

/** A path in the content folder, on disk or in git. */
export interface FileState {
  path: string
  /** Whether there is a regular file. */
  isHere: boolean
  atBase: GitFile | undefined
  atFork: GitFile | undefined
  inIndex: GitFile | undefined
  /** How it differs from the index, according to git: `M`, `D`, `T` or `U`. */
  edited: string | undefined
}

interface Sides {
  git: Git
  /** Commit IDs. The fork is the commit where this branch forked from the base. */
  base: string
  fork: string
}

/**
 * Lists every path on disk or in git, sorted by path bytes.
 *
 * @param findings collects all findings except files
 * @param sides if omitted, only the disk is listed
 */
export async function walkContent(dir: string, findings: ListingProblems, sides?: Sides): Promise<FileState[]> {
  const here = new Set(listContentFiles(dir, findings))
  const [atBase, atFork, inIndex, edited] = sides ? await listSides(sides) : []
  const paths = new Set([here, atBase, atFork, inIndex, edited].flatMap((list) => [...(list?.keys() ?? [])]))
  return [...paths].sort(comparePaths).map((path) => ({
    path,
    isHere: here.has(path),
    atBase: atBase?.get(path),
    atFork: atFork?.get(path),
    inIndex: inIndex?.get(path),
    edited: edited?.get(path),
  }))
}

async function listSides({ git, base, fork }: Sides) {
  const atBase = listTree(git, base)
  return Promise.all([atBase, fork === base ? atBase : listTree(git, fork), listIndex(git), listEdited(git)])
}

/** Groups the paths of each repository; every other path forms a group by itself. */
export function groupByRepository(states: readonly FileState[]): Iterable<FileState[]> {
  const groups = Map.groupBy(states, ({ path }) => /^[^/]+\/[^/]+\//.exec(path)?.[0] ?? path)
  return groups.values()
}
