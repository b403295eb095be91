// Plans the .gitattributes next to a lock, which prevents git from changing line endings of the lock and of vendored files.
import { lstat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { readVendored } from './files.ts'
import { attributesLine, type Place } from './lock.ts'

/** The name of the file. */
export const ATTRIBUTES = '.gitattributes'
const HEAD = '# Keeps git from changing line ends: prompts.lock knows the bytes of these files.'

/**
 * Plans the file for prompts that are added to a lock.
 *
 * @param targets the places with their paths relative to the lock's folder
 * @returns the new text of the file, or what the user must add to their own one; neither if nothing is missing
 */
export async function planAttributes(
  lockPath: string,
  targets: readonly Place[],
): Promise<{ text?: string; sentence?: string }> {
  const folder = dirname(resolve(lockPath))
  const all = [{ path: basename(lockPath) }, ...targets].map(({ path, files }: Place) =>
    attributesLine(path, files !== undefined),
  )
  const needed = [...new Set(all)]
  const there = await lstat(join(folder, ATTRIBUTES)).catch(() => undefined)
  if (!there) return { text: formatLines([HEAD, ...needed]) }
  const bytes = there.isFile() ? await readVendored(folder, ATTRIBUTES).catch(() => undefined) : undefined
  const lines = new TextDecoder().decode(bytes).split(/\r?\n/)
  if (lines.at(-1) === '') lines.pop()
  const missing = needed.filter((line) => !lines.includes(line))
  if (missing.length === 0) return {}
  if (lines[0] === HEAD) return { text: formatLines([...lines, ...missing]) }
  const quoted = missing.map((line) => `"${line}"`).join(' and ')
  return { sentence: `add to ${ATTRIBUTES}, so that git does not change line endings: ${quoted}` }
}

function formatLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('')
}
