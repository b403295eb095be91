// Links from a prompt to its git host: source, history, and a form for a new version.
import type { VersionRecord } from '../../domain/api/schema.ts'
import { formatDraft } from '../../domain/content/prompt-file.ts'
import { nextVersion } from '../../domain/values/versions.ts'
import type { SourceHost } from '../rendering.ts'

/** Git hosts reject longer URLs, so the form for a longer prompt is opened without its content. */
const MAX_ADDRESS_CHARACTERS = 7_000

/** Returns the links of a version. @param highest the repository's highest version */
export function listSourceLinks(host: SourceHost, record: VersionRecord, highest: string) {
  const { full_name, version } = record
  const folder = `${host.content}/${full_name}`
  const file = `${folder}/versions/${version}.md`
  return [
    { words: 'Suggest a change', address: suggestChange(host, record, highest) },
    { words: 'Source', address: `${host.web}/blob/${host.branch}/${file}` },
    { words: 'History', address: `${host.web}/commits/${host.branch}/${file}` },
    {
      words: 'Report a problem',
      address: `${host.web}/issues/new?${new URLSearchParams({ title: `${full_name} ${version}: ` })}`,
    },
  ]
}

/**
 * Returns the URL that opens the git host's editor with a file for a new version. The author fills in the version number, the date, their username and the changelog; the review rejects the file until they have.
 *
 * @param highest the repository's highest version
 */
export function suggestChange(
  { web, branch, content: contentDir }: SourceHost,
  record: VersionRecord,
  highest = record.version,
): string {
  const folder = `${contentDir}/${record.full_name}`
  const { content, variables, parameters, skill, files, version } = record
  const address = (value?: string) =>
    `${web}/new/${branch}?${new URLSearchParams({ filename: `${folder}/versions/x.y.z.md`, ...(value !== undefined && { value }) })}`
  // The length is checked first, because the URL would be longer than the values in it.
  if (content.length + JSON.stringify([variables, parameters, skill]).length > MAX_ADDRESS_CHARACTERS) return address()
  const [patch, minor, major] = (['patch', 'minor', 'major'] as const).map((bump) => nextVersion([highest], bump))
  const head = [
    '---',
    `# Name this file ${patch}.md, ${minor}.md (new features) or ${major}.md (breaking change).`,
    ...(files.length > 0 ? [`# Copy the files in ${version}/ to a folder with the number of the new version.`] : []),
    'published_at: # the current time in UTC, in quotes, such as "2026-11-20T10:00:00Z"',
    'published_by: # your GitHub username, in lower case',
    'changelog: # what changes, and why',
  ]
  const kept = formatDraft(record, { published_at: '', published_by: '', changelog: '' })
  const whole = address(`${head.join('\n')}${kept.slice(kept.indexOf('\n', kept.indexOf('\nchangelog:') + 1))}`)
  return whole.length <= MAX_ADDRESS_CHARACTERS ? whole : address()
}
