// Serves a hub from static files for the hubcli tests (docs/contract.md section 4), with or without the API.

import { createHash } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import { rsort, satisfies } from 'semver'
import { formatSkill, type SkillVersion } from '../../src/domain/content/skill.ts'
import type { LabelTarget } from '../../src/domain/values/label-target.ts'
import { packSkill } from '../../src/files/archive.ts'
import { pointing } from '../fixtures/labels.ts'
import { listen, stop } from '../listen.ts'

export interface Prompt {
  /** Maps each version to its content. */
  versions: Record<string, string>
  /** Maps each yanked version to the reason. */
  yanked?: Record<string, string>
  labels?: Record<string, string>
  /** The second version of every label. */
  split?: LabelTarget['split']
  /** The variables that every version declares; none by default. */
  variables?: object[]
  parameters?: object
  /** What the records of versions say; nothing by default. */
  format?: 'text' | 'chat'
  /** Makes every version an Agent Skill. */
  skill?: SkillVersion['skill']
  /** The files of every version of a skill. */
  files?: Record<string, string>
  /** Maps a version to the time since when readers can have it; long ago by default. */
  available?: Record<string, string>
  /** Maps a version to what is announced about its model. */
  models?: Record<string, { model: string; retires_at: string; replaced_by: string | null }>
  /** Maps a version to the versions that it includes. */
  included?: Record<string, string[]>
  /** Maps a version to the workflow that published it; a person or a token by default. */
  publishers?: Record<string, { repository: string; workflow: string; attested: boolean }>
  /** Maps a version to the attestation that its record names, as JSON. */
  bundles?: Record<string, string>
  advisories?: { range: string; severity: string; message: string }[]
  status?: string
  status_message?: string
  replaced_by?: string
  moved_to?: string
  /** Versions that are missing from the last build, so only the API can return them. */
  unbuilt?: string[]
}

export interface PlainFiles {
  url: string
  prompts: Record<string, Prompt>
  /** The path and query of each request, in order. */
  asked: string[]
  /** Whether the API responds without `Repr-Digest` and `X-Prompt-Yanked`, as behind a proxy that removes headers. */
  isPlain: boolean
  /** Sent instead of the right digest. */
  reprDigest?: string
  unencodedDigest?: string
  /** Called for each request. If it returns true, it has responded in place of the hub. */
  meddle: (path: string, answer: ServerResponse) => boolean
  close(): Promise<void>
}

const highestFirst = (a: string, b: string) => b.localeCompare(a, 'en', { numeric: true })

/** @param kind a `mirror` has only the files, and responds to all other requests with an HTML page */
export async function startPlainFiles(kind: 'hub' | 'mirror', prompts: Record<string, Prompt>): Promise<PlainFiles> {
  const hub: Omit<PlainFiles, 'url' | 'close'> = { prompts, asked: [], isPlain: false, meddle: () => false }
  const server = createServer((request, answer) => {
    const url = new URL(request.url ?? '', 'http://hub')
    hub.asked.push(request.url ?? '')
    if (hub.meddle(request.url ?? '', answer)) return
    const [, root, , repos, owner, name, view, part] = url.pathname.replace(/\.(json|txt)$/, '').split('/')
    const isApi = root === 'api'
    if (isApi && kind === 'mirror') return send(answer, 404, 'text/html', '<h1>Not found</h1>')
    if (url.pathname === '/data/v1/tags.json') return send(answer, 200, 'application/json', '{"data":[]}')
    const prompt = repos === 'repos' ? hub.prompts[`${owner}/${name}`] : undefined
    const known = listVersions(prompt, isApi)
    const active = known.filter((version) => prompt?.yanked?.[version] === undefined)
    if (prompt && ((prompt.skill && view === 'skills') || view === 'blobs')) {
      const file = findBlob(`${owner}/${name}`, prompt, url.pathname)
      return file ? send(answer, 200, 'application/octet-stream', file) : send(answer, 404, 'text/html', '')
    }
    const label = url.searchParams.get('label')
    const asked = label === null ? (part ?? url.searchParams.get('version') ?? active[0]) : prompt?.labels?.[label]
    if (prompt === undefined || (view !== undefined && view !== 'versions' && !known.includes(asked ?? '')))
      return sendMissing(answer, `There is no ${owner}/${name}.`)
    if (view === 'raw') {
      const content = prompt.versions[asked ?? ''] ?? ''
      if (isApi) answer.setHeader('X-Prompt-Version', asked ?? '')
      if (isApi && !hub.isPlain && part === undefined && url.searchParams.get('version') === null) {
        if (prompt.status === 'deprecated') answer.setHeader('X-Prompt-Deprecated', 'true')
        if (prompt.moved_to) answer.setHeader('Link', `<${prompt.moved_to}>; rel="successor-version"`)
      }
      if (isApi && !hub.isPlain) {
        const digest = `sha-256=:${createHash('sha256').update(content).digest('base64')}:`
        answer.setHeader('Repr-Digest', hub.reprDigest ?? digest)
        answer.setHeader('Unencoded-Digest', hub.unencodedDigest ?? digest)
        if (prompt.yanked?.[asked ?? ''] !== undefined) answer.setHeader('X-Prompt-Yanked', 'true')
      }
      return send(answer, 200, 'text/plain; charset=utf-8', content)
    }
    const data =
      view === 'versions' && (part === undefined || part === 'pages')
        ? known.map(describe(prompt, isApi || part === 'pages'))
        : { full_name: `${owner}/${name}`, ...recordOf(`${owner}/${name}`, prompt, active, asked) }
    send(answer, 200, 'application/json', JSON.stringify({ data, meta: { total: known.length } }))
  })
  return Object.assign(hub, { url: await listen(server), close: () => stop(server) })
}

export const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex')

function listVersions(prompt: Prompt | undefined, isApi: boolean): string[] {
  const versions = Object.keys(prompt?.versions ?? {}).sort(highestFirst)
  return isApi ? versions : versions.filter((version) => !prompt?.unbuilt?.includes(version))
}

/** @param isWhole whether it is in a page of the list, not in the file with all versions */
function describe(prompt: Prompt, isWhole: boolean) {
  return (version: string) => ({
    version,
    published_by: 'octocat',
    ...(isWhole && { changelog: `Change of ${version}`, included: prompt.included?.[version] ?? [] }),
    published_at: '2025-11-20T10:00:00Z',
    available_at: prompt.available?.[version] ?? '2025-11-20T10:00:00Z',
    model_status: prompt.models?.[version] ?? null,
    content_sha256: sha256(prompt.versions[version] ?? ''),
    yanked: prompt.yanked?.[version] !== undefined,
    yank_reason: prompt.yanked?.[version] ?? null,
  })
}

/** What the archive and the SKILL.md of a version are made of. */
function skillOf(full_name: string, prompt: Prompt, version: string): SkillVersion {
  const content = prompt.versions[version] ?? ''
  const variables = (prompt.variables ?? []) as SkillVersion['variables']
  const skill = prompt.skill ?? { description: '', license: null }
  return {
    name: full_name.split('/')[1]!,
    full_name,
    version,
    content,
    content_sha256: sha256(content),
    variables,
    skill,
  }
}

const listFiles = ({ files = {} }: Prompt) =>
  Object.entries(files)
    .map(([path, text]) => ({ path, bytes: Buffer.from(text) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))

const bundlesOf = ({ bundles = {} }: Prompt) => Object.values(bundles).map((text) => Buffer.from(text))

/** The bytes of a file below `skills` or `blobs`. */
function findBlob(full_name: string, prompt: Prompt, path: string): Buffer | undefined {
  const versions = Object.keys(prompt.versions).map((version) => skillOf(full_name, prompt, version))
  const files = listFiles(prompt)
  const blobs = [
    ...files.map(({ bytes }) => bytes),
    ...bundlesOf(prompt),
    ...versions.map((each) => Buffer.from(packSkill(each, files))),
  ]
  const wanted = path.split('/').at(-1)!
  const skill = versions.find(({ version }) => wanted === `${version}.md`)
  return skill ? Buffer.from(formatSkill(skill)) : blobs.find((bytes) => wanted === `${sha256(bytes)}.bin`)
}

function recordOf(full_name: string, prompt: Prompt, active: string[], version: string | undefined) {
  const content = version === undefined ? null : (prompt.versions[version] ?? null)
  return {
    version,
    content,
    content_sha256: content === null ? null : sha256(content),
    variables: prompt.variables ?? [],
    parameters: prompt.parameters ?? {},
    skill: prompt.skill ?? null,
    files: listFiles(prompt).map(({ path, bytes }) => ({ path, size_bytes: bytes.length, sha256: sha256(bytes) })),
    bundle_sha256:
      version === undefined || !prompt.files
        ? null
        : sha256(Buffer.from(packSkill(skillOf(full_name, prompt, version), listFiles(prompt)))),
    includes: (prompt.included?.[version ?? ''] ?? []).map((address) => {
      const [repository = '', number = ''] = address.split('@')
      return { repository, version: number }
    }),
    ...publisherOf(prompt, version),
    ...(prompt.format && { format: prompt.format }),
    status: prompt.status ?? 'active',
    status_message: prompt.status_message ?? null,
    replaced_by: prompt.replaced_by ?? null,
    moved_to: prompt.moved_to ?? null,
    latest_version: active[0] ?? null,
    versions: active,
    labels: withSplit(pointing(prompt.labels ?? {}), prompt.split),
    advisories: (prompt.advisories ?? []).map((advisory) => ({
      ...advisory,
      versions: rsort(Object.keys(prompt.versions).filter((each) => satisfies(each, advisory.range))),
    })),
  }
}

function publisherOf({ publishers = {}, bundles = {} }: Prompt, version = '') {
  const { attested = false, ...publisher } = publishers[version] ?? {}
  return {
    publisher: publishers[version] ? publisher : null,
    attestations: attested ? [{ name: '1.sigstore.json', sha256: sha256(bundles[version] ?? '') }] : [],
  }
}

function send(response: ServerResponse, status: number, type: string, body: string | Buffer): void {
  response.writeHead(status, { 'Content-Type': type }).end(body)
}

function sendMissing(response: ServerResponse, message: string): void {
  if (response.req.headers.accept === 'text/plain') send(response, 404, 'text/plain', `${message}\n`)
  else send(response, 404, 'application/json', JSON.stringify({ error: { code: 'not_found', message } }))
}

const withSplit = (labels: Record<string, LabelTarget>, split: LabelTarget['split'] = null) =>
  Object.fromEntries(Object.entries(labels).map(([label, { version }]) => [label, { version, split }]))
