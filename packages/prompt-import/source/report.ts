// Describes what an import did, for people and as JSON.

import { countOf } from '../../../src/domain/text/plain-text.ts'
import { withoutControls } from '../../../src/domain/text/printable.ts'
import { clip } from '../../prompt-formats/source/template.ts'
import type { Line } from './read-import.ts'

/** Maximum number of findings, and of skipped files, shown; --json shows them all. */
const MAX_SHOWN = 40

/** Describes an import, in lines. @param verb such as `Written` */
export function describeImport(
  lines: readonly Line[],
  skipped: readonly string[],
  owner: string,
  verb: string,
): string[] {
  const count = (status: Line['status']) => lines.filter((line) => line.status === status).length
  const rest = skipped.length > MAX_SHOWN ? ` and ${skipped.length - MAX_SHOWN} more` : ''
  const listed = skipped.slice(0, MAX_SHOWN).map(withoutControls).join(', ') + rest
  const shown = lines.filter(({ status, lost, reasons }) => status !== 'unchanged' || lost.length + reasons.length > 0)
  const said = shown.slice(0, MAX_SHOWN).flatMap(({ path, position, source_name, name, lost, reasons }) => {
    const own = source_name === null ? '' : ` “${clip(source_name)}”`
    const place = position === null ? '' : `, prompt ${position}${own}`
    return [
      `${withoutControls(path + place)}${name === null ? '' : ` → ${owner}/${name}`}`,
      ...reasons.map((reason) => `  refused  ${withoutControls(reason)}`),
      ...lost.map((one) => `  lost     ${withoutControls(one)}`),
    ]
  })
  const withLost = new Set(lines.filter(({ lost }) => lost.length > 0).map(({ path }) => path))
  return [
    ...said,
    ...(shown.length > MAX_SHOWN ? [`… and ${shown.length - MAX_SHOWN} more; use --json to show them all`] : []),
    '',
    `${verb.padEnd(9)} ${count('new')} new, ${count('changed')} with a new version, ${count('updated')} with other details`,
    `Unchanged ${count('unchanged')}`,
    `Lost      data from ${countOf(withLost.size, 'file')}`,
    `Refused   ${count('refused')}`,
    `Skipped   ${countOf(skipped.length, 'file')} without a prompt${skipped.length === 0 ? '' : `: ${listed}`}`,
  ]
}

/** Writes the lines of an import as JSON. What JSON leaves as it is, and a terminal does not, is escaped. */
export function formatImport(lines: readonly Line[]): string {
  const toEscape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(lines, undefined, 2).replace(/(?!\n)[\p{Cc}\p{Cf}]/gu, (found) =>
    found.split('').map(toEscape).join(''),
  )
}
