// Owns the links from a prompt to the git host that it lies on: source, history, and a change prefilled; none when git is on this machine alone.
import { readConfig } from '../../config.ts'
import type { VersionRecord } from '../../domain/api/schema.ts'
import type { CatalogueEntry } from '../../domain/catalogue/entry.ts'
import { nextVersion } from '../../domain/catalogue/versions.ts'
import { formatVersionFile } from '../../domain/content/prompt-file.ts'

/** A link and its words. */
interface SourceLink {
  words: string
  address: string
}

/** Git hosts refuse longer addresses; a longer prompt is opened without its text. */
const MOST_ADDRESS_CHARACTERS = 7_000

/** Where a version can be seen, and changed by a pull request. */
export function listSourceLinks({ versions, summary }: CatalogueEntry, record: VersionRecord): SourceLink[] {
  const host = findHost()
  if (!host) return []
  const folder = `content/${summary.full_name}`
  const file = `${folder}/versions/${record.version}.md`
  // The highest one comes first; looking through all of them for each of them would take time by the square of their number.
  const next = nextVersion([versions[0]!.summary.version], 'patch')
  return [
    { words: 'Suggest a change', address: suggest(host, `${folder}/versions/${next}.md`, record) },
    { words: 'Source', address: `${host.web}/blob/${host.branch}/${file}` },
    { words: 'Commit and history', address: `${host.web}/commits/${host.branch}/${file}` },
    {
      words: 'Report a problem',
      address: `${host.web}/issues/new?${new URLSearchParams({ title: `${summary.full_name} ${record.version}: ` })}`,
    },
  ]
}

/** The repository of this hub on its git host, such as `octocat/prompt-hub`; undefined when the settings name none. */
export function findRepository(): string | undefined {
  return findHost()?.repository
}

interface Host {
  repository: string
  web: string
  branch: string
}

let host: Host | undefined | null

/** Reads the settings once, because they do not change during a build. */
function findHost(): Host | undefined {
  if (host === undefined) {
    const { gitStore } = readConfig(process.env)
    host =
      gitStore.kind === 'github'
        ? { repository: gitStore.repository, web: webAddress(gitStore), branch: gitStore.branch }
        : null
  }
  return host ?? undefined
}

/** The address of a repository's pages. On GitHub itself pages have another host than the API; on an enterprise's server both have the same. */
function webAddress({ apiUrl, repository }: { apiUrl: string; repository: string }): string {
  const { origin } = new URL(apiUrl)
  return `${origin === 'https://api.github.com' ? 'https://github.com' : origin}/${repository}`
}

/** Opens the host's own editor with the next version's file, as publishing would write it. */
function suggest({ web, branch }: Host, path: string, record: VersionRecord): string {
  const { content, variables, parameters, published_by } = record
  const address = (text: string | undefined) =>
    `${web}/new/${branch}?${new URLSearchParams({ filename: path, ...(text === undefined ? {} : { value: text }) })}`
  // An address is never shorter than the text in it.
  if (content.length > MOST_ADDRESS_CHARACTERS) return address(undefined)
  const value = formatVersionFile({
    published_at: record.published_at,
    published_by,
    changelog: 'Say what changes, and why',
    variables,
    parameters,
    content,
  })
  const whole = address(value)
  return whole.length <= MOST_ADDRESS_CHARACTERS ? whole : address(undefined)
}
