// Links from a prompt to the git host that it lies on: source, history, and a change filled in.
import type { VersionRecord } from '../domain/api/schema.ts'
import { nextVersion } from '../domain/catalogue/versions.ts'
import { formatVersionFile } from '../domain/content/prompt-file.ts'
import type { SourceHost } from '../ports/pages.ts'

/** A link and its words. */
interface SourceLink {
  words: string
  address: string
}

/** Git hosts refuse longer addresses; a longer prompt is opened without its text. */
const MAX_ADDRESS_CHARACTERS = 7_000

/** The links of a version. @param highest the highest version ever published, which a change follows */
export function listSourceLinks(host: SourceHost, record: VersionRecord, highest: string): SourceLink[] {
  const { full_name, version } = record
  const folder = `content/${full_name}`
  const file = `${folder}/versions/${version}.md`
  const next = nextVersion([highest], 'patch')
  return [
    { words: 'Suggest a change', address: suggest(host, `${folder}/versions/${next}.md`, record) },
    { words: 'Source', address: `${host.web}/blob/${host.branch}/${file}` },
    { words: 'Commit and history', address: `${host.web}/commits/${host.branch}/${file}` },
    {
      words: 'Report a problem',
      address: `${host.web}/issues/new?${new URLSearchParams({ title: `${full_name} ${version}: ` })}`,
    },
  ]
}

/** Opens the host's own editor with the next version's file, as publishing would write it. */
function suggest({ web, branch }: SourceHost, path: string, record: VersionRecord): string {
  const { content, variables, parameters, published_by } = record
  const address = (text: string | undefined) =>
    `${web}/new/${branch}?${new URLSearchParams({ filename: path, ...(text === undefined ? {} : { value: text }) })}`
  // An address is never shorter than the text in it.
  if (content.length > MAX_ADDRESS_CHARACTERS) return address(undefined)
  const value = formatVersionFile({
    published_at: record.published_at,
    published_by,
    changelog: 'Say what changes, and why',
    variables,
    parameters,
    content,
  })
  const whole = address(value)
  return whole.length <= MAX_ADDRESS_CHARACTERS ? whole : address(undefined)
}
