// Reads what an import is given: `npm run import` and the command `prompt-hub import` differ only in what they do with it.

import type { ConversionProblem, PromptPlace } from '../../../src/domain/api/export-formats.ts'
import { findLicenseProblem } from '../../../src/domain/content/rules.ts'
import { isOwner } from '../../../src/domain/values/names.ts'
import { digestText } from '../../../src/files/measure.ts'
import { assignNames, type KnownPrompt } from '../../prompt-formats/source/assign-names.ts'
import { type ImportFormat, READERS } from '../../prompt-formats/source/formats.ts'
import { listSources } from './list-sources.ts'
import { readSources, type SourcedPrompt } from './read-sources.ts'

/** What became of a prompt, or of a file without one. */
export interface Line {
  path: string
  /** Its place in a file with several prompts, from 1; otherwise null. */
  position: number | null
  /** The name that the file gives it; null if it gives none. */
  source_name: string | null
  /** Its name on the hub; null if it was not read. */
  name: string | null
  /** `lost` for a file with several prompts, of which something belongs to none of them. */
  status: 'new' | 'changed' | 'updated' | 'unchanged' | 'refused' | 'lost'
  version: string | null
  lost: string[]
  reasons: string[]
}

/** What an import was told. */
export interface ImportChoices {
  owner: string | undefined
  /** The format of every file; if undefined, it is detected. */
  from?: string | undefined
  /** The license for prompts whose source states none. */
  license?: string | undefined
  /** Whether nothing in the texts is a placeholder. */
  keepsText?: boolean | undefined
}

/** A prompt that was read, with its name on the hub. */
export type FoundPrompt = SourcedPrompt & {
  path: string
  fileFindings: readonly ConversionProblem[]
  hubName: string
}

/** What was read. */
interface ReadImport {
  owner: string
  found: FoundPrompt[]
  /** The files and parts of files that are no prompts, or of which something belongs to none. */
  lines: Line[]
  skipped: string[]
}

/**
 * Reads the prompts in files and folders, and names them.
 *
 * @param listKnown lists the prompts that earlier imports wrote, which keep their names
 * @param onRead called with the number of files read so far, and of all
 * @throws Error if an option is missing or wrong, or a path does not exist
 */
export function readImport(
  paths: readonly string[],
  { owner, from, license, keepsText = false }: ImportChoices,
  listKnown: (owner: string) => readonly KnownPrompt[] = () => [],
  onRead: (read: number, all: number) => void = () => {},
): ReadImport {
  if (paths.length === 0) throw new Error('Missing files or folders to import')
  if (owner === undefined) throw new Error('Missing required option: --owner, such as --owner acme')
  if (!isOwner(owner)) throw new Error(`--owner: expected a handle such as acme, got "${owner}"`)
  const licenseProblem = findLicenseProblem(license ?? null)
  if (licenseProblem) throw new Error(`--license: ${licenseProblem}`)
  if (from !== undefined && !isFormat(from))
    throw new Error(`--from: expected one of ${Object.keys(READERS).join(', ')}`)
  const { sources, skipped } = listSources(paths)
  const read = []
  for (const result of readSources(sources, from, { root: process.cwd(), keepsText })) {
    if (result.isSkipped) skipped.push(result.path)
    else read.push(result)
    onRead(read.length + skipped.length, sources.length)
  }
  const found = read.flatMap(({ path, prompts, findings }) =>
    prompts.map((one) => ({ ...one, path, fileFindings: one.position === null ? findings : one.findings })),
  )
  const names = assignNames(found, listKnown(owner), digestText)
  const lines = read.flatMap(({ path, prompts, findings, refused }): Line[] => {
    const describe = (said: readonly ConversionProblem[], status: Line['status'], place?: PromptPlace): Line => ({
      path,
      position: place?.position ?? null,
      source_name: place?.name || null,
      name: null,
      status,
      version: null,
      lost: sayFindings(said, 'lost'),
      reasons: sayFindings(said, 'refused'),
    })
    const isRefused = findings.some(({ kind }) => kind === 'refused') || prompts.length + refused.length === 0
    const ofFile = prompts.some(({ position }) => position === null) || (findings.length === 0 && !isRefused)
    return [
      ...(ofFile ? [] : [describe(findings, isRefused ? 'refused' : 'lost')]),
      ...refused.map((one) => describe(one.findings, 'refused', one.place)),
    ]
  })
  return { owner, found: found.map((one, index) => ({ ...one, hubName: names[index]! })), lines, skipped }
}

function isFormat(text: string): text is ImportFormat {
  return Object.hasOwn(READERS, text)
}

/** Says findings in sentences. @param position of the prompt that is being described: what was said about another version of it names that version's own */
export function sayFindings(
  findings: readonly ConversionProblem[],
  kind: ConversionProblem['kind'],
  position?: number | null,
): string[] {
  return findings
    .filter((finding) => finding.kind === kind)
    .map(({ field, line, message, prompt }) => {
      const other = position != null && prompt && prompt.position !== position ? `prompt ${prompt.position}: ` : ''
      return `${other}${line === null ? '' : `line ${line}: `}${field}: ${message}`
    })
}
