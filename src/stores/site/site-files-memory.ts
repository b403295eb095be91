// Generates the site's files on request, where no build has written them.
import type { SiteFiles } from '../../ports/site-files.ts'

/** Files generated on request. @param find returns the text at a path, or undefined */
export function memoryFiles(find: (path: string) => string | Uint8Array | undefined): SiteFiles {
  return {
    async read(path) {
      const content = find(path)
      return content === undefined ? undefined : Buffer.from(content)
    },
  }
}
