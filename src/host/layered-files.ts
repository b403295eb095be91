// Owns reading a base folder and the layers over it as the files of one site.

import type { SiteFiles } from '../ports/site-files.ts'
import { folderFiles } from '../stores/site-files-folder.ts'
import { listPaths, type SiteFolder, type SiteState } from './site-folder.ts'

/** Opens the files of a state. @param known what is in layers that were opened before, by name; it is completed here and reduced to those in use */
export function layeredFiles(folder: SiteFolder, state: SiteState, known: Map<string, readonly string[]>): SiteFiles {
  const base = folderFiles(folder.base)
  const over = new Map<string, SiteFiles | undefined>()
  const isUsed = new Set(state.layers.map(({ name }) => name))
  for (const name of known.keys()) if (!isUsed.has(name)) known.delete(name)
  for (const { name, gone } of state.layers) {
    const dir = folder.layer(name)
    const files = folderFiles(dir)
    const paths = known.get(name) ?? listPaths(dir)
    known.set(name, paths)
    for (const path of gone) over.set(path, undefined)
    for (const path of paths) over.set(path, files)
  }
  const filesOf = (path: string) => (over.has(path) ? over.get(path) : base)
  return {
    read: async (path) => filesOf(path)?.read(path),
    openLarge: async (path) => filesOf(path)?.openLarge?.(path),
  }
}
