// Reads the content folder for a command that needs all of it.
import { ContentError } from '../../src/build/content-error.ts'
import type { ContentTree } from '../../src/catalogue/content-tree.ts'
import { readContentDir } from '../../src/content/content-dir.ts'

/** @throws ContentError if the content has problems */
export function readContent(dir: string): ContentTree {
  const { tree, problems } = readContentDir(dir)
  if (problems.length > 0) throw new ContentError(problems)
  return tree
}
