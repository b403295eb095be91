// The package's functions: they read the files of other tools as prompts, and write prompts as such files.
import { createHash } from 'node:crypto'
import type { ExportFormat, WriteResult } from '../../src/domain/api/export-formats.ts'
import { detectFormat, type ImportFormat, READERS, WRITERS } from './source/formats.ts'
import { contentOf, type PortablePrompt, type ReadOptions, type ReadResult } from './source/portable.ts'

export type { ConversionProblem } from '../../src/domain/api/export-formats.ts'
export type { PortableBody, PortableMessage, PortablePrompt } from './source/portable.ts'
export { detectFormat, type ExportFormat, type ImportFormat, type ReadOptions, type ReadResult, type WriteResult }

/** The formats that can be read. */
export const IMPORT_FORMATS = Object.keys(READERS) as ImportFormat[]
/** The formats that can be written. */
export const EXPORT_FORMATS = Object.keys(WRITERS) as ExportFormat[]

/**
 * Reads the prompts in a file.
 *
 * @param source the text of the file
 * @param name the name of the file without extensions, or of the folder of a SKILL.md: a prompt without a name gets it
 * @returns the prompts, and what could not be converted: a prompt with a `refused` finding is left out, of the others a `lost` part
 */
export function readPrompts(format: ImportFormat, source: string, name: string, options: ReadOptions = {}): ReadResult {
  return READERS[format](source, name, options)
}

/**
 * Writes a prompt as a file.
 *
 * @param about its version number, and the owner before the slash of its full name
 * @returns the file with the names of the fields that the format does not have, or why it cannot be written
 */
export function writePrompt(
  format: ExportFormat,
  prompt: PortablePrompt,
  { version = '1.0.0', owner = 'local' }: { version?: string; owner?: string } = {},
): WriteResult {
  const content = contentOf(prompt)
  return WRITERS[format]({
    ...prompt,
    version,
    full_name: `${owner}/${prompt.name}`,
    content,
    content_sha256: createHash('sha256').update(content).digest('hex'),
  })
}
