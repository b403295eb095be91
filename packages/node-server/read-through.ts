// Serves the owners of an upstream hub beside this hub's own: reads of records, content, files and archives whose owner this hub does not have.

import { DATA_FILES } from '../../src/domain/api/data-paths.ts'
import { matchPath, matchSkillPath, type ReadId } from '../../src/domain/api/routes.ts'
import { usagePath } from '../../src/domain/catalogue/usage.ts'
import { isOwner } from '../../src/domain/values/names.ts'
import { askOnce } from '../../src/ports/ask-once.ts'
import type { SiteFiles } from '../../src/ports/site-files.ts'
import type { TextWork } from '../../src/ports/text-work.ts'
import { pathOf, queryOf } from '../../src/server/address.ts'
import { partsOf, respondWithParts } from '../../src/server/respond.ts'
import type { ServerHub } from '../../src/wiring/hub.ts'
import { type Upstream, VIA_HEADER } from '../stores/upstream/upstream.ts'
import type { Answer } from './monitoring.ts'

/** A build, and the owners and repositories that it could not read. */
interface ReadHub {
  hub: ServerHub
  broken: readonly string[]
}

/** The routes that are answered from an upstream's records alone. All lists and the activity need what only that hub has. */
const ROUTES_READ: ReadonlySet<string> = new Set<ReadId>([
  'getRepository',
  'listVersions',
  'getVersion',
  'getFile',
  'getArchive',
  'listAttestations',
  'getAttestation',
  'listResults',
  'getRaw',
  'getUser',
])

/**
 * Wraps the handler of all requests. Own owners are looked up first, so an upstream adds owners, but never prompts of an own owner.
 *
 * @param answer handles requests with this hub's own files
 * @param serve handles requests with the given build
 * @param textFor returns the work on texts for a client
 */
export function readThrough(
  answer: Answer,
  upstream: Upstream,
  hubOf: () => ReadHub,
  serve: (hub: ServerHub) => Answer,
  textFor: (ip: string) => TextWork,
): Answer {
  return async (request, ip) => {
    if (!isReadThrough(request, upstream)) return answer(request, ip)
    // A cache in front must not keep what another hub was told for everybody.
    if (request.headers.has(VIA_HEADER)) return withoutCaching(await answer(request, ip))
    const { hub, broken } = hubOf()
    const read = { isStale: false }
    const readUpstream = async (path: string) => {
      const { bytes, isStale } = await upstream.read(path, textFor(ip))
      read.isStale ||= isStale
      return bytes
    }
    const files = joinUpstream(hub, broken, { ownerOf: upstream.ownerOf, read: readUpstream })
    const response = await serve({ ...hub, files })(request, ip)
    return read.isStale ? withHeader(response, 'X-Prompt-Upstream', 'stale') : response
  }
}

const NO_SKILL: NonNullable<ReturnType<typeof matchSkillPath>> = { file: 'index.json', parameters: {} }

/** Returns whether an address may be answered from an upstream. */
function isReadThrough({ method, url }: Request, upstream: Upstream): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  const path = pathOf(url)
  if (path.startsWith('/data/')) return upstream.ownerOf(path) !== undefined
  const found = matchPath(path)
  // Where a label pointed in the past is in the activity.
  if (found) return ROUTES_READ.has(found.routes.GET?.id ?? '') && !new URLSearchParams(queryOf(url)).has('at')
  const { file, parameters } = matchSkillPath(path) ?? NO_SKILL
  // An index lists URLs of the upstream.
  return file !== 'index.json' && parameters.owner !== undefined && isOwner(parameters.owner)
}

/** Adds an upstream's files to those of a build. */
function joinUpstream(
  hub: ServerHub,
  broken: readonly string[],
  upstream: Pick<Upstream, 'ownerOf'> & Pick<SiteFiles, 'read'>,
): SiteFiles {
  const { files } = hub
  const isOwnOnce = askOnce((owner: string) => isOwn(owner, hub, broken))
  return {
    async read(path) {
      const own = await files.read(path)
      const owner = own ? undefined : upstream.ownerOf(path)
      if (owner === undefined || (await isOwnOnce(owner))) return own
      return upstream.read(path)
    },
  }
}

/** Returns whether this hub has an owner: in its build, among what it could not read, or in a publish since then. */
async function isOwn(owner: string, { files, fresh }: ServerHub, broken: readonly string[]): Promise<boolean> {
  if (broken.some((name) => name === owner || name.startsWith(`${owner}/`))) return true
  const [profile, usage, copy, names] = await Promise.all([
    files.read(DATA_FILES.user(owner)),
    files.read(usagePath(owner)),
    fresh.find('owners', owner),
    fresh.listNames(owner),
  ])
  return profile !== undefined || usage !== undefined || copy !== undefined || names.length > 0
}

function withoutCaching(response: Response): Response {
  return response.status === 404 ? withHeader(response, 'Cache-Control', 'no-store') : response
}

function withHeader(response: Response, name: string, value: string): Response {
  const parts = partsOf(response)
  if (parts) return respondWithParts({ ...parts, headers: { ...parts.headers, [name]: value } })
  response.headers.set(name, value)
  return response
}
