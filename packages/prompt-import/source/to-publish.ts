// Turns imported prompts into prompt files, which a client publishes through a hub's API.

import { findIncludeLines } from '../../../src/domain/compose/include-lines.ts'
import { undeclaredVariable } from '../../../src/domain/content/prompt-file.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import { digestText } from '../../../src/files/measure.ts'
import { describeVersion } from '../../prompt-formats/source/content-files.ts'
import { toDetails } from '../../prompt-formats/source/details.ts'
import { orderImport } from '../../prompt-formats/source/import-order.ts'
import { toLine } from '../../prompt-formats/source/names.ts'
import {
  ConversionProblems,
  contentOf,
  type PortablePrompt,
  type PromptReference,
} from '../../prompt-formats/source/portable.ts'
import { placeReferences, type ReferenceTarget } from '../../prompt-formats/source/references.ts'
import { clip } from '../../prompt-formats/source/template.ts'
import { toName } from '../../prompt-formats/source/to-name.ts'
import { type LatestFields, writePromptFile } from '../../prompt-formats/source/write-prompt-file.ts'
import { type FoundPrompt, type ImportChoices, type Line, readImport, sayFindings } from './read-import.ts'
import { readAgain } from './skill-folder.ts'

/** What a hub has of a prompt that was published before another one, which includes it. */
export interface OnHub {
  /** The versions on the hub, by their numbers in the source. */
  versions: ReadonlyMap<string, string>
  labels: ReadonlySet<string>
}

/** A version to publish. */
interface VersionToPublish {
  /** Its number in the source, if it has one. */
  number: string | undefined
  labels: readonly string[]
  /** The SHA-256 of its content; undefined if other prompts may be put in. */
  sha256: string | undefined
  changelog: string
  /** Its files beside SKILL.md, with their bytes. */
  files: readonly { path: string; read: () => Uint8Array<ArrayBuffer> }[]
  /** Writes it as a prompt file, with an include line for each reference to a prompt that the hub has. */
  write(onHub: (index: number) => OnHub | undefined): { text: string; compose: boolean; kept: string[] }
}

/** A prompt to publish. */
export interface PromptToPublish {
  /** Its place in the list of prompts, for `onHub`. */
  index: number
  /** Its line of the report; what becomes of it is still open. */
  line: Line
  /** Oldest first. */
  versions: VersionToPublish[]
}

/** What an import would publish, parts before the prompts that include them. */
export interface ImportToPublish {
  owner: string
  prompts: PromptToPublish[]
  lines: Line[]
  skipped: string[]
}

/** Differs in each field from every version, so that a prompt file says each of them. */
const OTHER: LatestFields = {
  format: 'chat',
  variables: [undeclaredVariable('_')],
  parameters: { _: 1 },
  skill: {
    description: '_',
    license: null,
    compatibility: '_',
    allowed_tools: ['_'],
    argument_hint: '_',
    metadata: { _: '_' },
  },
}

/** Reads files and folders. @throws Error if a choice is missing or wrong */
export function readToPublish(paths: readonly string[], choices: ImportChoices): ImportToPublish {
  const { owner, found, lines, skipped } = readImport(paths, choices)
  const fullNames = found.map(({ hubName }) => `${owner}/${hubName}`)
  const sequence = orderImport(
    found.map(({ prompt }) => prompt),
    fullNames,
  )
  const targetOf = (
    reference: PromptReference,
    from: number,
    onHub: (index: number) => OnHub | undefined,
  ): ReferenceTarget => {
    const target = sequence.find(reference, from)
    if (sequence.isLater(reference.to, from))
      return { reason: 'the other prompt inserts this one, directly or through others' }
    if (target === undefined) return { reason: 'no other prompt of this import has this name' }
    const there = onHub(target)
    const repository = fullNames[target]!
    if (!there) return { reason: `${repository} is not on the hub` }
    const { label, version } = reference
    if (label !== undefined)
      return there.labels.has(label)
        ? { repository, range: label }
        : { reason: `${repository} has no label ${clip(label)}` }
    if (version === undefined) return { repository, range: '*' }
    const range = there.versions.get(version)
    return range === undefined
      ? { reason: `version ${clip(version)} of ${repository} is not in this import` }
      : { repository, range }
  }
  const prompts = sequence.order.map((index): PromptToPublish => {
    const one = found[index]!
    const { prompt, path, position, fileFindings, hubName } = one
    const findings = new ConversionProblems()
    const details = toDetails(prompt, findings)
    if (prompt.tests !== undefined) findings.lost('tests', 'test cases have no place in a publish; keep the file')
    const versions = [...(prompt.earlier ?? []), prompt].map((version) =>
      toVersion(version, one, details, choices, (reference, onHub) => targetOf(reference, index, onHub)),
    )
    const lost = [...sayFindings(fileFindings, 'lost', position), ...sayFindings(findings.all, 'lost')]
    const reasons = sayFindings(fileFindings, 'refused')
    const source_name = position === null ? null : prompt.name || null
    return {
      index,
      versions,
      line: { path, position, source_name, name: hubName, status: 'new', version: null, lost, reasons },
    }
  })
  return { owner, prompts, lines, skipped }
}

function toVersion(
  prompt: PortablePrompt,
  { found, prompt: latest }: FoundPrompt,
  details: ReturnType<typeof toDetails>,
  { license }: ImportChoices,
  findTarget: (reference: PromptReference, onHub: (index: number) => OnHub | undefined) => ReferenceTarget,
): VersionToPublish {
  const isSource = prompt.file?.compose === true
  const files = (prompt.files ?? []).map((one) => ({
    path: one.path,
    read: () => readAgain(found.folder, found.path, one),
  }))
  return {
    number: prompt.number,
    labels: prompt.labels ?? [],
    sha256: isSource || prompt.references ? undefined : digestText(contentOf(prompt)),
    changelog: toLine(prompt.changelog, LIMITS.changelogCharacters),
    files,
    write(onHub) {
      const { body, compose, kept } = place(prompt, isSource, (reference) => findTarget(reference, onHub))
      const said = describeVersion({ ...prompt, ...(body && { body, file: undefined }) }, null)
      const fields = {
        title: details.title ?? titleOf(latest),
        description: details.description ?? '',
        tags: details.tags ?? [],
        license: details.license === undefined ? (license ?? null) : details.license,
      }
      const text = writePromptFile(fields, said, OTHER)
      return {
        text,
        compose,
        kept: kept.map(({ tag, reason }) => `reference: ${clip(tag)} stays text, because ${reason}`),
      }
    },
  }
}

/** Puts include lines in the place of references. */
function place(prompt: PortablePrompt, isSource: boolean, findTarget: (reference: PromptReference) => ReferenceTarget) {
  if (isSource) return { compose: true, kept: [] }
  if (!prompt.references) return { compose: false, kept: [] }
  const { body, parts, kept } = placeReferences(prompt, findTarget)
  if (parts.length === 0) return { compose: false, kept }
  const { value: own } = findIncludeLines(contentOf(prompt))
  if (own?.length === 0) return { body, compose: true, kept }
  // Such a line was text in the source, and must stay it.
  const reason = 'the text has a line that looks like an include line'
  return { compose: false, kept: prompt.references.map(({ tag }) => ({ tag, reason })) }
}

/** A name without Latin letters is a better title than the digest that stands for it. Otherwise, the hub derives one. */
const titleOf = ({ name }: PortablePrompt) => (toName(name) === '' ? toLine(name, LIMITS.titleCharacters) : '')
