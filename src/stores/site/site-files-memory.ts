// Generates the site's files on request if no build has written them.
import type { SiteFiles } from '../../ports/site-files.ts'

/** Returns files that are generated on request. @param find returns the content at a path, or undefined */
export function memoryFiles(find: (path: string) => string | Uint8Array | undefined): SiteFiles {
  return {
    async read(path) {
      const content = find(path)
      return content === undefined ? undefined : Buffer.from(content)
    },
  }
}
