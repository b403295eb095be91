// Reads a hub through its static files: determines which file corresponds to each API request, and checks that a mirror has this file.
import { hash } from 'node:crypto'
import * as z from 'zod'
import { ROUTES_WITH_SCHEMAS } from '../../src/catalogue/published/route-schemas.ts'
import type { HubResponse } from '../../src/doctor/hub-requests.ts'
import { DATA_FILES, SORTS } from '../../src/domain/api/data-paths.ts'
import { READS, type ReadId, ROUTES } from '../../src/domain/api/routes.ts'
import {
  list,
  Meta,
  Repository,
  Result,
  single,
  TagRecord,
  VersionRecord,
  VersionSummary,
} from '../../src/domain/api/schema.ts'

/** An API read request, and the file with the same bytes (docs/contract.md section 4). */
interface PlainRead {
  id: ReadId
  /** The path of the request, including its query string. */
  address: string
  file: string
  /** The expected SHA-256 digest of the file, if another file contains it. */
  sha256?: string
}

/** The result of checking a mirror. */
interface MirrorReport {
  /** The number of reads per route. */
  reads: Record<ReadId, number>
  /** The problems, as one sentence each. */
  problems: string[]
}

/** Requests a path. @throws Error if there is no response */
type Ask = (path: string) => Promise<HubResponse>

const AT_ONCE = 8
/** Maximum number of problems to list, because further problems usually have the same cause. */
const MAX_PROBLEMS = 50

const Index = z.object({
  data: z.array(
    z.object({ owner: z.string(), name: z.string(), record_sha256: z.string(), tags: z.array(z.string()) }),
  ),
})
const Record = single(Repository.pick({ labels: true, latest_version: true, content_sha256: true, includes: true }))
const Version = single(VersionRecord.pick({ files: true, bundle_sha256: true, attestations: true, skill: true }))
const Page = z.object({ meta: Meta })
const RESPONSES = new Map(ROUTES_WITH_SCHEMAS.map(({ id, response }) => [id, response]))

/**
 * Reads every file that a mirror must have.
 *
 * @param hub if given, every file is compared byte for byte with this hub's API response
 */
export async function checkMirror(mirror: Ask, hub?: Ask): Promise<MirrorReport> {
  const reads = Object.fromEntries(READS.map(({ id }) => [id, 0])) as MirrorReport['reads']
  const problems: string[] = []
  const say = (problem: string) => {
    if (problems.length < MAX_PROBLEMS) problems.push(problem)
  }
  const waiting: Promise<void>[] = []
  const look = async ({ id, address, file, sha256 }: PlainRead) => {
    reads[id] += 1
    const { status, bytes, text } = await mirror(file)
    if (status !== 200) return say(`${file} returns ${status}; it should contain the response from ${address}.`)
    if (sha256 !== undefined && hash('sha256', bytes) !== sha256) return say(`${file} does not match its digest.`)
    const response = RESPONSES.get(id)
    if (response && !response.safeParse(parseJson(text)).success)
      return say(`${file} is not a valid response from ${address}.`)
    const said = await hub?.(address)
    if (said && !Buffer.from(said.bytes).equals(bytes))
      say(`${file} differs from the response from ${address} (${said.status}).`)
  }
  for await (const read of listReads(mirror, say)) {
    const looked = look(read)
    // It may fail while the next files are listed; the failure is thrown below.
    looked.catch(() => {})
    waiting.push(looked)
    if (waiting.length >= AT_ONCE) await Promise.all(waiting.splice(0))
  }
  await Promise.all(waiting)
  return { reads, problems }
}

/** Yields every possible read, derived from the mirror's files. */
async function* listReads(mirror: Ask, say: (problem: string) => void): AsyncGenerator<PlainRead> {
  const open = async <Schema extends z.ZodType>(
    file: string,
    schema: Schema,
  ): Promise<z.output<Schema> | undefined> => {
    const { status, text } = await mirror(file)
    const parsed = schema.safeParse(status === 200 ? parseJson(text) : undefined)
    if (!parsed.success) say(`${file} is missing or cannot be read (${status}).`)
    return parsed.data
  }
  /** Only a prompt with results has this file. */
  const listTested = async (owner: string, name: string): Promise<Set<string>> => {
    const { status, text } = await mirror(DATA_FILES.newestResults(owner, name))
    const parsed = list(Result).safeParse(status === 200 ? parseJson(text) : undefined)
    return new Set(parsed.data?.data.map(({ version }) => version))
  }
  yield { id: 'getOpenapi', address: ROUTES.getOpenapi.path, file: DATA_FILES.openapi() }
  yield { id: 'listTags', address: ROUTES.listTags.path, file: DATA_FILES.tags() }
  for (const sort of SORTS) {
    yield* listPages(`${ROUTES.listRepositories.path}?sort=${sort}`, (page) => DATA_FILES.list(sort, page), open)
  }
  const tags = await open(DATA_FILES.tags(), list(TagRecord))
  for (const { name } of tags?.data ?? [])
    for (const sort of SORTS)
      yield* listPages(
        `${ROUTES.listRepositories.path}?tag=${name}&sort=${sort}`,
        (page) => DATA_FILES.tagged(name, sort, page),
        open,
      )
  const index = (await open(DATA_FILES.index(), Index))?.data ?? []
  for (const handle of new Set(index.map(({ owner }) => owner)))
    yield { id: 'getUser', address: ROUTES.getUser.path.replace('{handle}', handle), file: DATA_FILES.user(handle) }
  const labels = new Set<string>()
  const parts = new Set<string>()
  for (const { owner, name, record_sha256 } of index) {
    const at = (path: string) => path.replace('{owner}', owner).replace('{name}', name)
    const raw = at(ROUTES.getRaw.path)
    const file = DATA_FILES.repository(owner, name)
    yield { id: 'getRepository', address: at(ROUTES.getRepository.path), file, sha256: record_sha256 }
    yield { id: 'listVersions', address: at(ROUTES.listVersions.path), file: DATA_FILES.versionPage(owner, name, 1) }
    const record = (await open(file, Record))?.data
    if (record?.content_sha256)
      yield { id: 'getRaw', address: raw, file: DATA_FILES.raw(owner, name), sha256: record.content_sha256 }
    for (const { repository } of record?.includes ?? []) parts.add(repository)
    const rawOf = (version: string) => DATA_FILES.rawVersion(owner, name, version)
    for (const [label, { version }] of Object.entries(record?.labels ?? {})) {
      labels.add(`${owner} ${label}`)
      yield { id: 'getRaw', address: `${raw}?label=${label}`, file: rawOf(version) }
    }
    const tested = await listTested(owner, name)
    const versions = await open(DATA_FILES.versionPage(owner, name, 1), list(VersionSummary))
    for (const { version, content_sha256 } of versions?.data ?? []) {
      const address = at(ROUTES.getVersion.path).replace('{version}', version)
      yield { id: 'getVersion', address, file: DATA_FILES.version(owner, name, version) }
      yield { id: 'getRaw', address: `${raw}?version=${version}`, file: rawOf(version), sha256: content_sha256 }
      if (tested.has(version))
        yield { id: 'listResults', address: `${address}/results`, file: DATA_FILES.results(owner, name, version) }
      const {
        files = [],
        bundle_sha256 = null,
        skill,
        attestations = [],
      } = (await open(DATA_FILES.version(owner, name, version), Version))?.data ?? {}
      const blob = (sha256: string) => ({ file: DATA_FILES.blob(owner, name, sha256), sha256 })
      for (const { path, sha256 } of files)
        yield { id: 'getFile', address: `${address}/files/${path}`, ...blob(sha256) }
      if (skill) {
        const file = DATA_FILES.capabilities(owner, name, version)
        yield { id: 'listCapabilities', address: `${address}/capabilities`, file }
      }
      for (const { name: file, sha256 } of attestations)
        yield { id: 'getAttestation', address: `${address}/attestations/${file}`, ...blob(sha256) }
      if (bundle_sha256 !== null) yield { id: 'getArchive', address: `${address}/archive`, ...blob(bundle_sha256) }
    }
  }
  for (const [owner = '', name = ''] of Array.from(parts, (part) => part.split('/'))) {
    // A part that was taken down is still named by the prompts that include it.
    if ((await mirror(DATA_FILES.repository(owner, name))).status === 404) continue
    const address = ROUTES.listDependents.path.replace('{owner}', owner).replace('{name}', name)
    yield { id: 'listDependents', address, file: DATA_FILES.dependents(owner, name) }
  }
  for (const [handle = '', label = ''] of Array.from(labels, (at) => at.split(' '))) {
    const address = ROUTES.listLabelled.path.replace('{handle}', handle).replace('{label}', label)
    yield { id: 'listLabelled', address, file: DATA_FILES.labelled(handle, label) }
  }
}

/** Yields every page of a list. The first page exists even if it is empty. */
async function* listPages(
  address: string,
  fileOf: (page: number) => string,
  open: (file: string, schema: typeof Page) => Promise<z.output<typeof Page> | undefined>,
): AsyncGenerator<PlainRead> {
  const first = await open(fileOf(1), Page)
  for (let page = 1; page <= Math.max(1, first?.meta.pages ?? 1); page++)
    yield { id: 'listRepositories', address: `${address}&page=${page}`, file: fileOf(page) }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
