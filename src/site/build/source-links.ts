// Owns the links from a prompt to the git host that it lies on: source, history, and a change prefilled; none when git is on this machine alone.
import { relative, resolve, sep } from 'node:path'
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
  const folder = `${host.content}/${summary.full_name}`
  const file = `${folder}/versions/${record.version}.md`
  return [
    { words: 'Suggest a change', address: suggest(host, folder, versions[0]!.summary.version, record) },
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
  /** Where the content folder is in the repository. */
  content: string
}

let host: Host | undefined | null

/** Reads the settings once, because they do not change during a build. */
function findHost(): Host | undefined {
  if (host === undefined) {
    const { gitStore, contentDir } = readConfig(process.env)
    host =
      gitStore.kind === 'github'
        ? {
            repository: gitStore.repository,
            web: webAddress(gitStore),
            branch: gitStore.branch,
            content: findInRepository(contentDir),
          }
        : null
  }
  return host ?? undefined
}

/** A build runs in the top folder of the repository. A content folder elsewhere is a copy of the one that publishing writes to. */
function findInRepository(contentDir: string): string {
  const path = relative(process.cwd(), resolve(contentDir)).replaceAll(sep, '/')
  return path === '' || path.startsWith('..') ? 'content' : path
}

/** The address of a repository's pages. On GitHub itself pages have another host than the API; on an enterprise's server both have the same. */
function webAddress({ apiUrl, repository }: { apiUrl: string; repository: string }): string {
  const { origin } = new URL(apiUrl)
  return `${origin === 'https://api.github.com' ? 'https://github.com' : origin}/${repository}`
}

/**
 * Opens the host's own editor with a new version's file. What only its author knows is left for them to write: the number, the date, their
 * name and what changes. A review refuses the file until they did.
 *
 * @param highest the repository's highest version
 */
function suggest({ web, branch }: Host, folder: string, highest: string, record: VersionRecord): string {
  const { content, variables, parameters } = record
  const address = (value?: string) =>
    `${web}/new/${branch}?${new URLSearchParams({ filename: `${folder}/versions/x.y.z.md`, ...(value !== undefined && { value }) })}`
  // An address is never shorter than the text in it.
  if (content.length > MOST_ADDRESS_CHARACTERS) return address()
  const [patch, minor, major] = (['patch', 'minor', 'major'] as const).map((bump) => nextVersion([highest], bump))
  const head = [
    '---',
    `# Name this file ${patch}.md, ${minor}.md (it can do more) or ${major}.md (callers must change something).`,
    'published_at: # now, in UTC and in quotes, such as "2026-11-20T10:00:00Z"',
    'published_by: # your GitHub login, in lower case',
    'changelog: # what changes, and why',
  ]
  const kept = formatVersionFile({ published_at: '', published_by: '', changelog: '', variables, parameters, content })
  const whole = address(`${head.join('\n')}${kept.slice(kept.indexOf('\n', kept.indexOf('\nchangelog:') + 1))}`)
  return whole.length <= MOST_ADDRESS_CHARACTERS ? whole : address()
}
