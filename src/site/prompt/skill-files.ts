// Selects what a page shows of the files of a skill: the beginning of the text files, within a limit for the whole page.
import type { SkillFile, VersionRecord } from '../../domain/api/schema.ts'
import { formatSkill } from '../../domain/content/skill.ts'
import { compareText } from '../../domain/text/plain-text.ts'
import { decodeFile } from '../../domain/values/file-entry.ts'
import type { PageData } from '../rendering.ts'
import { openBudget, renderLines } from './prompt-text.ts'

/** A text file of two compared versions. */
export interface ComparedFile {
  path: string
  /** Its text in each version; undefined where there is no such file. */
  before: string | undefined
  after: string | undefined
}

/** A file as a page shows it. */
export interface ShownFile extends Pick<SkillFile, 'path' | 'size_bytes'> {
  /** The ID of the element with its text. */
  id: string
  /** Whether an agent may run it. */
  isScript: boolean
  /** The first lines of a text file; undefined if the page only links to the file. */
  text: ReturnType<typeof renderLines> | undefined
}

/** No file beside it may have its name. */
const MAIN_FILE = 'SKILL.md'
/** Maximum size of all shown texts of a page; the other files are linked. */
const MAX_SHOWN_BYTES = 24_576
/** Maximum number of lines of a file that a page shows. */
const MAX_FILE_LINES = 200
/** Maximum size of all texts of a comparison, of both versions together; the other files are only listed. */
const MAX_COMPARED_BYTES = 131_072

const SCRIPT =
  /\.(?:bash|bat|cjs|cmd|com|exe|fish|go|jar|js|jsx|lua|mjs|php|pl|ps1|py|r|rb|rs|sh|swift|ts|tsx|vbs|wasm|zsh)$/i

/** Reads the files of a version for its page, its SKILL.md first; empty if there are none beside it. */
export async function readShownFiles(hub: Pick<PageData, 'findFile'>, record: VersionRecord): Promise<ShownFile[]> {
  const { skill } = record
  if (record.files.length === 0 || !skill) return []
  const main = formatSkill({ ...record, skill })
  const size_bytes = new TextEncoder().encode(main).length
  const left = MAX_SHOWN_BYTES - (size_bytes > MAX_SHOWN_BYTES / 2 ? 0 : size_bytes)
  const texts = await readTexts(hub, record, record.files, left)
  if (left < MAX_SHOWN_BYTES) texts.set(MAIN_FILE, main)
  const budget = openBudget()
  return [{ path: MAIN_FILE, size_bytes }, ...record.files].map(({ path, size_bytes }, index) => {
    const text = texts.get(path)
    return {
      path,
      size_bytes,
      id: `file-${index}`,
      isScript: SCRIPT.test(path) || (text?.startsWith('#!') ?? false),
      text: text === undefined ? undefined : renderLines(text, MAX_FILE_LINES, budget),
    }
  })
}

/** Reads the text files that differ between two versions, within a limit for the whole comparison. */
export async function readComparedFiles(
  hub: Pick<PageData, 'findFile'>,
  from: VersionRecord,
  to: VersionRecord,
): Promise<ComparedFile[]> {
  const differing = (one: VersionRecord, other: VersionRecord) =>
    one.files.filter(({ path, sha256 }) => other.files.find((file) => file.path === path)?.sha256 !== sha256)
  const before = await readTexts(hub, from, differing(from, to), MAX_COMPARED_BYTES / 2)
  const after = await readTexts(hub, to, differing(to, from), MAX_COMPARED_BYTES / 2)
  const has = ({ files }: VersionRecord, path: string) => files.some((file) => file.path === path)
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => before.has(path) === has(from, path) && after.has(path) === has(to, path))
    .sort(compareText)
    .map((path) => ({ path, before: before.get(path), after: after.get(path) }))
}

/** Reads text files up to a total size. */
async function readTexts(
  hub: Pick<PageData, 'findFile'>,
  { owner, name, version }: VersionRecord,
  files: readonly SkillFile[],
  mostBytes: number,
): Promise<Map<string, string>> {
  let left = mostBytes
  const texts = new Map<string, string>()
  for (const { path, media_type, size_bytes } of files) {
    if (media_type !== 'text/plain' || size_bytes > left) continue
    left -= size_bytes
    const bytes = await hub.findFile(owner, name, version, path)
    const text = bytes && decodeFile(bytes)
    if (text !== undefined) texts.set(path, text)
  }
  return texts
}

/** Formats a size in bytes, such as `1.2 kB`. */
export function formatSize(bytes: number): string {
  return bytes < 1_000 ? `${bytes} B` : `${(bytes / 1_000).toFixed(1)} kB`
}
