// The files of an Agent Skill: their paths, and the content in a SKILL.md. docs/contract.md
import { digestOf } from './verify.ts'

/** The file that every skill has. */
export const SKILL = 'SKILL.md'
const MAX_FILES = 501
const MAX_PATH_BYTES = 900
const PATH = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}(?:\/[A-Za-z0-9_][A-Za-z0-9._-]{0,99}){0,7}$/
/** Windows: https://learn.microsoft.com/windows/win32/fileio/naming-a-file */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[1-9\u00b9\u00b2\u00b3]) *(?:\.|$)/i
/** HFS+ ignores these in names, as git does when it looks for .git (core.protectHFS). */
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g
const SHA256 = /^[0-9a-f]{64}$/
const END = '\n---\n'

const NAME = /^---\nname: [^\n]*\n/

/** A file of a skill. */
export interface SkillFile {
  /** Relative to the folder that contains SKILL.md. */
  path: string
  /** The SHA-256 of its bytes, in hex. */
  sha256: string
}

/** Whether the name of a file or folder is valid on every system, and git's own on none. */
export function isPortablePart(part: string): boolean {
  // GIT~1 is the short name of .git on Windows.
  const isSpecial = ['', '.', '..', '.git', 'git~1'].includes(part.replace(IGNORED, '').toLowerCase())
  return !isSpecial && !/[\\:<>"|?*\u0000-\u001f\u007f-\u009f]|[. ]$/.test(part) && !DEVICE.test(part)
}

/** Says why the files of a skill cannot be installed on every system. @returns undefined if they can */
export function refuseFiles(paths: readonly string[]): string | undefined {
  if (paths.length > MAX_FILES) return `has more than ${MAX_FILES} files`
  const isValid = (path: string) =>
    PATH.test(path) &&
    path.split('/').every(isPortablePart) &&
    path.length <= MAX_PATH_BYTES &&
    (path === SKILL || path.split('/').at(-1)?.toLowerCase() !== SKILL.toLowerCase())
  const invalid = paths.find((path) => !isValid(path))
  if (invalid !== undefined) return `has a file that is not valid on every system: '${invalid.slice(0, 200)}'`
  const clash = findClash(paths)
  return clash && `has two files at ${clash}, or one inside the other`
}

/** Finds a path that equals another, or is inside it. Ignores case and how accents are encoded, as macOS does. */
export function findClash(paths: readonly string[]): string | undefined {
  // With a slash at the end, a path and everything inside it are neighbours in the sorted list.
  const folders = paths.map((path) => `${path.toLowerCase().normalize('NFC')}/`).sort()
  return folders.find((path, index) => index > 0 && path.startsWith(folders[index - 1]!))?.slice(0, -1)
}

/** Parses the files in a hub's response. @returns undefined when they are invalid */
export function readFiles(value: unknown): SkillFile[] | undefined {
  if (value === undefined) return []
  if (!Array.isArray(value)) return undefined
  const files = value.map((each: unknown): SkillFile => {
    const { path, sha256 } = Object(each) as Partial<Record<string, unknown>>
    return { path: String(path), sha256: String(sha256) }
  })
  const isGood = files.every(({ sha256 }) => SHA256.test(sha256))
  return isGood && refuseFiles([SKILL, ...files.map(({ path }) => path)]) === undefined ? files : undefined
}

/**
 * Finds the content in a SKILL.md: what follows the front matter, without the list of inputs.
 *
 * @param sha256 of the content, in hex
 * @returns undefined if it does not have that digest
 */
export async function findContent(
  skill: Uint8Array<ArrayBuffer>,
  sha256: string,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  // One character for each byte, so that places in the text are those of the bytes.
  const text = new TextDecoder('latin1').decode(skill)
  const end = text.indexOf(END, 3)
  if (!text.startsWith('---\n') || end < 0) return undefined
  const rest = skill.slice(end + END.length)
  const inputs = text.slice(end + END.length).lastIndexOf('\n\n## Inputs\n\n')
  for (const content of [rest, rest.slice(0, Math.max(inputs, 0))])
    if ((await digestOf(content, SKILL)) === sha256) return content
  return undefined
}

/** Printable ASCII, which every YAML parser reads as it is written. */
const TOOL = /^[!-~](?:[ -~]{0,198}[!-~])?$/
const MAX_TOOLS = 64

/** Writes `allowed-tools` at the end of the front matter of a SKILL.md. @returns undefined if it has no front matter, or a tool is not valid */
export function grantTools(
  skill: Uint8Array<ArrayBuffer>,
  tools: readonly unknown[],
): Uint8Array<ArrayBuffer> | undefined {
  const text = new TextDecoder('latin1').decode(skill)
  const end = text.indexOf(END, 3)
  const areValid = tools.length <= MAX_TOOLS && tools.every((tool) => typeof tool === 'string' && TOOL.test(tool))
  if (!text.startsWith('---\n') || end < 0 || !areValid) return undefined
  const line = new TextEncoder().encode(`\nallowed-tools: ${JSON.stringify(tools.join(' '))}`)
  return new Uint8Array([...skill.slice(0, end), ...line, ...skill.slice(end)])
}

/** Gives a SKILL.md another name, for a folder of that name. @returns undefined if it does not begin with one */
export function renameSkill(skill: Uint8Array<ArrayBuffer>, name: string): Uint8Array<ArrayBuffer> | undefined {
  // One character for each byte, so that all others stay.
  const text = new TextDecoder('latin1').decode(skill)
  const found = NAME.exec(text)
  if (!found) return undefined
  const head = new TextEncoder().encode(`---\nname: "${name}"\n`)
  return new Uint8Array([...head, ...skill.slice(found[0].length)])
}
