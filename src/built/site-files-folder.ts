// Reads a site's files from a folder whose files do not change.
import { openFolder } from '../files/plain-files.ts'
import { cacheFiles, catalogueUnavailable, type SiteFiles } from './site-files.ts'

/** Paths with segments that could lead out of the folder or to hidden files never match. */
const SAFE_PATH = /^(?:\/(?!\.)[A-Za-z0-9_.@-]+)+$/

/** Returns the files of a folder, cached after the first read. A first read blocks the thread: on the Node server, these are the styles and scripts of the pages, none of which is large. */
export function folderFiles(dir: string): SiteFiles {
  const folder = openFolder(dir)
  return cacheFiles((path) => {
    if (!SAFE_PATH.test(path)) return undefined
    const { value, refusal } = folder.read(path, Number.POSITIVE_INFINITY)
    if (refusal === 'unreadable') throw catalogueUnavailable(`${path} cannot be read`)
    return value
  })
}
