// Selects what a page shows of the files of a skill: the beginning of the text files, within a limit for the whole page.
import type { SkillFile, VersionRecord } from '../../domain/api/schema.ts'
import { decodeFile } from '../../domain/values/file-entry.ts'
import type { PageData } from '../../ports/pages.ts'

/** A file as a page shows it. */
export interface ShownFile extends SkillFile {
  /** Whether an agent may run it. */
  isScript: boolean
  /** The first lines of a text file; undefined if the page only links to the file. */
  lines: string[] | undefined
  /** Whether there is more text than the lines. */
  isCut: boolean
}

/** Maximum size of all shown texts of a page; the other files are linked. */
const MAX_SHOWN_BYTES = 32_768
const MAX_LINES = 200

const SCRIPT =
  /\.(?:bash|bat|cjs|cmd|com|exe|fish|go|jar|js|jsx|lua|mjs|php|pl|ps1|py|r|rb|rs|sh|swift|ts|tsx|vbs|wasm|zsh)$/i

/** Reads the files of a version for its page. */
export async function readShownFiles(
  hub: Pick<PageData, 'findFile'>,
  { owner, name, version, files }: VersionRecord,
): Promise<ShownFile[]> {
  let left = MAX_SHOWN_BYTES
  const shown: ShownFile[] = []
  for (const file of files) {
    const isReadable = file.media_type === 'text/plain' && file.size_bytes <= left
    if (isReadable) left -= file.size_bytes
    const bytes = isReadable ? await hub.findFile(owner, name, version, file.path) : undefined
    const text = bytes && decodeFile(bytes)
    const lines = text?.split(/\r?\n/, MAX_LINES + 1)
    shown.push({
      ...file,
      isScript: SCRIPT.test(file.path) || (text?.startsWith('#!') ?? false),
      lines: lines?.slice(0, MAX_LINES),
      isCut: lines !== undefined && lines.length > MAX_LINES,
    })
  }
  return shown
}

/** Formats a size in bytes, such as `1.2 kB`. */
export function formatSize(bytes: number): string {
  return bytes < 1_000 ? `${bytes} B` : `${(bytes / 1_000).toFixed(1)} kB`
}
