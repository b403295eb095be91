// Converts the title, description, tags and license of a prompt from elsewhere to the hub's rules, and reports what is cut or dropped.

import type { RepositoryFrontMatter } from '../../../src/domain/content/front-matter.ts'
import { findLicenseProblem } from '../../../src/domain/content/rules.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import { pick } from '../../../src/domain/text/json.ts'
import { printable } from '../../../src/domain/text/printable.ts'
import { toLine } from './names.ts'
import { type ConversionProblems, MAX_FINDINGS, type PortablePrompt } from './portable.ts'
import { toName, toTags } from './to-name.ts'

/** The details that a source states, in the form of `index.md`. A license in other words than SPDX is null. */
export type Details = Partial<Pick<RepositoryFrontMatter, 'title' | 'description' | 'tags' | 'license'>>

/** Converts the details of a prompt. Details that its source does not state are omitted. */
export function toDetails(prompt: PortablePrompt, findings: ConversionProblems): Details {
  if (prompt.file) {
    const { file } = prompt
    return pick(
      file,
      (['title', 'description', 'tags', 'license'] as const).filter((key) => file[key] !== undefined),
    )
  }
  const tags = toTags(prompt.tags)
  for (const tag of prompt.tags.filter((one) => !tags.includes(toName(one))).slice(0, MAX_FINDINGS))
    findings.lost(`tags.${printable(tag)}`, 'a prompt has at most ten tags, of letters A to Z, digits and hyphens')
  if (toLine(prompt.changelog, LIMITS.changelogCharacters) !== toLine(prompt.changelog, Number.POSITIVE_INFINITY))
    findings.lost('changelog', `cut at ${LIMITS.changelogCharacters} characters`)
  const title = shorten('title', prompt.title, LIMITS.titleCharacters, findings)
  const description = shorten('description', prompt.description, LIMITS.descriptionCharacters, findings)
  const license = toLicense(prompt.license, findings)
  return {
    ...(title === '' ? {} : { title }),
    ...(description === '' ? {} : { description }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(license === undefined ? {} : { license }),
  }
}

/** @returns null for a license in other words; undefined if the source states none */
function toLicense(stated: string | null, findings: ConversionProblems): string | null | undefined {
  if (stated === null) return undefined
  if (findLicenseProblem(stated) === undefined) return stated
  const words = toLine(stated, LIMITS.sentenceCharacters)
  findings.lost('license', `“${words}” is not an SPDX license, so the prompt has none`)
  return null
}

function shorten(field: string, text: string, most: number, findings: ConversionProblems): string {
  const line = toLine(text, most)
  if (line !== toLine(text, Number.POSITIVE_INFINITY)) findings.lost(field, `cut at ${most} characters`)
  return line
}
