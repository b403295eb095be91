// Plans the .gitattributes next to a lock, which prevents git from changing line endings of the lock and of vendored files.
import { lstat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { readVendored } from './files.ts'
import { attributesLine } from './lock.ts'

const NAME = '.gitattributes'
const HEAD = '# Keeps git from changing line ends: prompts.lock knows the bytes of these files.'

/** What to do: write the file, tell the user what to add to their own file, or nothing. */
export type AttributesPlan =
  | { kind: 'write'; path: string; text: string }
  | { kind: 'say'; sentence: string }
  | { kind: 'none' }

/** @param target path of the prompt's content, relative to the lock's folder */
export async function planAttributes(lockPath: string, target: string): Promise<AttributesPlan> {
  const folder = dirname(resolve(lockPath))
  const needed = [attributesLine(basename(lockPath)), attributesLine(target)]
  const there = await lstat(join(folder, NAME)).catch(() => undefined)
  if (!there) return write([HEAD, ...needed])
  const bytes = there.isFile() ? await readVendored(folder, NAME).catch(() => undefined) : undefined
  const lines = new TextDecoder().decode(bytes).split(/\r?\n/)
  if (lines.at(-1) === '') lines.pop()
  const missing = needed.filter((line) => !lines.includes(line))
  if (missing.length === 0) return { kind: 'none' }
  if (lines[0] === HEAD) return write([...lines, ...missing])
  const quoted = missing.map((line) => `"${line}"`).join(' and ')
  return { kind: 'say', sentence: `add to ${NAME}, so that git does not change line endings: ${quoted}` }
}

function write(lines: readonly string[]): AttributesPlan {
  return { kind: 'write', path: NAME, text: lines.map((line) => `${line}\n`).join('') }
}
