// Lists the files in a project or bundle folder.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Lists the files in a folder recursively. @returns their paths relative to the folder */
export function listFiles(dir: string): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(dir, '/').length))
}
