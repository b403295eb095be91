// Reads the content folder for a command that needs all of it.
import { ContentError } from '../../packages/build/content-error.ts'
import type { ContentTree } from '../../packages/catalogue/content-tree.ts'
import { readContentDir } from '../../packages/stores/content/content-dir.ts'

/** @throws ContentError if the content has problems */
export function readContent(dir: string): ContentTree {
  const { tree, problems } = readContentDir(dir)
  if (problems.length > 0) throw new ContentError(problems)
  return tree
}
