// Reads a content folder independently of the hub: interprets its files according to the contract, without using any of
// the hub's code.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

export type Version = {
  version: string
  published_at: string
  published_by: string
  changelog: string
  bytes: Buffer
  text: string
  sha256: string
  variables: Record<string, unknown>[] | null
  parameters: Record<string, unknown>
  provenance: Record<string, unknown> | null
  yank_reason: string | null
}

export type Repository = {
  owner: string
  name: string
  full_name: string
  title: string
  description: string
  tags: string[]
  license: string | null
  status: string
  status_message: string | null
  labels: Record<string, string>
  readme: string
  /** All versions, including yanked ones, highest first. */
  versions: Version[]
  active: Version[]
  latest: Version | null
  listed: boolean
  created_at: string
  updated_at: string
}

export type Owner = {
  handle: string
  name: string | null
  website: string | null
  avatar_url: string | null
  bio: string | null
}
export type Content = {
  repositories: Repository[]
  owners: Owner[]
  /** The full names of prompts that were taken down: of them, only the list of their numbers is left. */
  takenDown: string[]
}

const time = (text: string) => Date.parse(text)
const parts = (version: string) => version.split('.').map(Number)
export const byNumber = (a: string, b: string) =>
  parts(a).reduce((order, part, i) => order || part - (parts(b)[i] ?? 0), 0)

/** Parses everything before the second `---` line as YAML and keeps everything after it, byte for byte. */
function split(bytes: Buffer): [Record<string, unknown>, Buffer] {
  const close = bytes.indexOf('\n---\n')
  if (bytes.subarray(0, 4).toString() !== '---\n' || close < 0) throw new Error('no front matter')
  return [parse(bytes.subarray(4, close + 1).toString('utf8')) ?? {}, bytes.subarray(close + 5)]
}

const folders = (path: string) =>
  readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)

export function readContent(root: string): Content {
  const owners: Owner[] = []
  const repositories: Repository[] = []
  const takenDown: string[] = []
  for (const owner of folders(root)) {
    const profile = join(root, owner, 'index.md')
    const [data, bio]: [Record<string, unknown>, Buffer | null] = existsSync(profile)
      ? split(readFileSync(profile))
      : [{}, null]
    owners.push({
      handle: owner,
      name: null,
      website: null,
      avatar_url: null,
      ...data,
      bio: bio?.toString('utf8') ?? null,
    })
    for (const name of folders(join(root, owner)))
      if (isTakenDown(join(root, owner, name))) takenDown.push(`${owner}/${name}`)
      else repositories.push(readRepository(root, owner, name))
  }
  return { owners, repositories, takenDown }
}

const isTakenDown = (folder: string) =>
  readdirSync(folder).join() === 'index.md' && 'removed' in split(readFileSync(join(folder, 'index.md')))[0]

function readRepository(root: string, owner: string, name: string): Repository {
  const folder = join(root, owner, name)
  const index = join(folder, 'index.md')
  const [data, readme]: [Record<string, unknown>, Buffer] = existsSync(index)
    ? split(readFileSync(index))
    : [{}, Buffer.from('')]
  const yanked = (data.yanked ?? {}) as Record<string, string>
  const versions = readdirSync(join(folder, 'versions'))
    .map((file): Version => {
      const version = file.replace(/\.md$/, '')
      const [front, bytes] = split(readFileSync(join(folder, 'versions', file)))
      return {
        version,
        published_at: String(front.published_at),
        published_by: String(front.published_by),
        changelog: String(front.changelog ?? ''),
        bytes,
        text: bytes.toString('utf8'),
        sha256: createHash('sha256').update(bytes).digest('hex'),
        variables: (front.variables ?? null) as Version['variables'],
        parameters: (front.parameters ?? {}) as Version['parameters'],
        provenance: (front.provenance ?? null) as Version['provenance'],
        yank_reason: yanked[version] ?? null,
      }
    })
    .sort((a, b) => byNumber(b.version, a.version))
  const active = versions.filter((version) => version.yank_reason === null)
  const times = versions.map((version) => version.published_at).sort((a, b) => time(a) - time(b))
  return {
    owner,
    name,
    full_name: `${owner}/${name}`,
    title: String(data.title ?? name[0]!.toUpperCase() + name.slice(1).replaceAll('-', ' ')),
    description: String(data.description ?? ''),
    tags: (data.tags ?? []) as string[],
    license: (data.license ?? null) as string | null,
    status: String(data.status ?? 'active'),
    status_message: (data.status_message ?? null) as string | null,
    labels: (data.labels ?? {}) as Record<string, string>,
    readme: readme.toString('utf8'),
    versions,
    active,
    latest: active[0] ?? null,
    listed: data.status !== 'archived' && active.length > 0,
    created_at: times[0] ?? '',
    updated_at: times.at(-1) ?? '',
  }
}

/** Returns the names between `{{` and `}}`, in order of first appearance. */
const placeholders = (text: string) => [
  ...new Set([...text.matchAll(/\{\{ ?([A-Za-z_][A-Za-z0-9_]{0,63}) ?\}\}/g)].map((found) => String(found[1]))),
]

/** Returns the variables that a version declares, or the placeholders in its content if it declares no variables. */
export const variablesOf = (version: Version): Record<string, unknown>[] =>
  version.variables ?? placeholders(version.text).map((name) => ({ name }))
