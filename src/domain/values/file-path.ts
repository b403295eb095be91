// Judges the path of a file beside a skill's SKILL.md. This file imports no schemas, because reads use it.
import { LIMITS } from '../limits.ts'
import { isPortableName } from './names.ts'

const SEGMENT = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/
/** What systems, git and other programs leave in a folder; no skill has it. The clients have the same rule: tests/fixtures/paths.json. */
const JUNK =
  /^(?:\.DS_Store|\._.*|Thumbs\.db|desktop\.ini|\.git(?:ignore|attributes|keep)?|node_modules|__pycache__)$/is
/** Names of files and folders that a build ignores, because editors leave such files behind. */
const STRAY = /\.(?:tmp|swp)$/i

/**
 * Returns why no file of a version may have a path: it must be the same file on every operating system, and below the folder of the skill.
 *
 * @param path with forward slashes, relative to the folder of the version
 */
export function findFilePathProblem(path: string): string | undefined {
  const segments = path.split('/', LIMITS.fileSegments + 1)
  if (segments.length > LIMITS.fileSegments) return `expected at most ${LIMITS.fileSegments} parts between slashes`
  for (const segment of segments) {
    if (!SEGMENT.test(segment))
      return 'expected a relative path of 1 to 100 letters, digits, dots, hyphens and underscores between slashes, none of which begins with a dot or a hyphen'
    if (segment.endsWith('.')) return 'expected no name that ends with a dot, which Windows removes'
    if (!isPortableName(segment.toLowerCase().replace(/\..*/, '')))
      return `expected no name that is reserved on Windows, got ${segment}`
    if (segment.toLowerCase() === 'skill.md')
      return 'expected no SKILL.md: the hub writes it from the content, and agents read one in any folder as a skill of its own'
    if (STRAY.test(segment)) return 'expected no name of a temporary file (.tmp, .swp)'
  }
  return undefined
}

/** Returns whether a file or folder has the name of what systems, git and other programs leave in a folder. */
export const isJunk = (name: string): boolean => JUNK.test(name)

/** Returns whether a file of a version may have this path. */
export const isFilePath = (path: string): boolean => findFilePathProblem(path) === undefined
