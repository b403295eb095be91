// Renders which parts of two compared versions come from other prompts, and which of these changed.
import { type Composed, divideContent } from '../../domain/compose/include-lines.ts'
import { escapeHtml } from '../../domain/text/html-text.ts'
import { splitFullName } from '../../domain/values/names.ts'
import { versionPage } from '../links.ts'
import type { DifferenceRow } from './text-difference.ts'

/** What happened to the parts of one repository. */
interface PartChange {
  repository: string
  /** Its versions in the older version, and in the newer one. */
  before: string[]
  after: string[]
}

/** Says where the lines of a part come from; undefined for a line of the prompt itself. */
export type NamePart = (row: Pick<DifferenceRow, 'left' | 'right'>) => string | undefined

/** Renders a row that begins with the sign of what happened. @param words HTML */
export const renderSigned = (sign: string, words: string): string =>
  `<li><span class="sign" aria-hidden="true">${sign}</span> ${words}</li>`

/** Renders the parts that were added, removed or replaced by another version; empty if there are none. */
export function renderPartChanges(from: Composed, to: Composed): string {
  const rows = listChanges(from, to).flatMap(({ repository, before, after }) => {
    if (before.join() === after.join()) return []
    const [sign, words] =
      before.length === 0 ? ['+', 'Added'] : after.length === 0 ? ['−', 'Removed'] : ['·', 'Changed']
    const versions = [before, after].filter(({ length }) => length > 0).map((list) => linkAll(repository, list))
    const name = escapeHtml(repository)
    return renderSigned(sign!, `${words} ${name} ${versions.join(' → ')}`)
  })
  if (rows.length === 0) return ''
  return `<section class="parts" aria-labelledby="parts"><h2 id="parts">Included prompts</h2><ul class="plain">${rows.join('')}</ul></section>`
}

function linkAll(repository: string, versions: readonly string[]): string {
  // A name that no page can have is only shown.
  if (!splitFullName(repository)) return versions.map(escapeHtml).join(', ')
  return versions
    .map((version) => `<a href="${escapeHtml(versionPage(repository, version))}">${escapeHtml(version)}</a>`)
    .join(', ')
}

/** Returns a function that names the part of each line of a comparison; undefined if neither version has parts. */
export function openPartNames(from: Composed, to: Composed): NamePart | undefined {
  if ((from.includes ?? []).length + (to.includes ?? []).length === 0) return undefined
  const words = new Map(listChanges(from, to).map((change) => [change.repository, nameChange(change)]))
  const [left, right] = [findLines(from), findLines(to)]
  return (row) => {
    const repository = row.right === undefined ? left.get(row.left ?? 0) : right.get(row.right)
    return repository === undefined ? undefined : words.get(repository)
  }
}

function nameChange({ repository, before, after }: PartChange): string {
  const [old, now] = [before.join(', '), after.join(', ')]
  const versions = old === now || old === '' ? now : now === '' ? old : `${old} → ${now}`
  return `from ${repository} ${versions}`
}

function listChanges({ includes: older = [] }: Composed, { includes: newer = [] }: Composed): PartChange[] {
  const names = new Set([...older, ...newer].map(({ repository }) => repository))
  const versionsIn = (includes: NonNullable<Composed['includes']>, name: string) => [
    ...new Set(includes.filter(({ repository }) => repository === name).map(({ version }) => version)),
  ]
  return Array.from(names, (repository) => ({
    repository,
    before: versionsIn(older, repository),
    after: versionsIn(newer, repository),
  }))
}

/** Returns the repository of each line that is in a part, by its 1-based number. */
function findLines(version: Composed): Map<number, string> {
  const lines = new Map<number, string>()
  let line = 1
  for (const { text, include } of divideContent(version)) {
    const last = line + text.split('\n').length - 1
    if (include) for (let at = line; at <= last; at++) lines.set(at, include.repository)
    line = last
  }
  return lines
}
