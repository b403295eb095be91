// Handles changes: PATCH for repositories, and PUT and DELETE for labels and yanks. The checks run in the same order as for a publish.
import { hash } from 'node:crypto'
import { HubError } from '../../domain/api/errors.ts'
import { COMMON_HEADERS, type ManageRouteId, matchManageRoute } from '../../domain/api/routes.ts'
import { isName, isOwner, isTag, isVersion, splitFullName } from '../../domain/content/names.ts'
import type { Neighbours } from '../../domain/content/rules.ts'
import { CHANGE_BOUNDS, type Change, parseChange, type Target } from '../../domain/managing/request.ts'
import { findExcess } from '../../domain/publishing/request.ts'
import type { Connect } from '../connect.ts'
import { findRepository } from '../read/records.ts'
import { type PublishDeps, writeToGit } from './attempt.ts'
import { requirePermission, requireScope } from './authenticate.ts'
import { type AcceptedChange, type ChangeOutcome, changeAsWrite, permissionFor } from './decide-change.ts'
import {
  admitBearer,
  invalidNameError,
  openLimitedBody,
  type PublishHandlerDeps,
  parseJsonBody,
  recordUse,
  refusals,
  requireJson,
  respondElsewhere,
} from './publish.ts'
import { type Clock, SYSTEM_CLOCK } from './rounds.ts'

/** Media types that PATCH accepts. RFC 7396 section 4 */
const PATCH_TYPES = ['application/json', 'application/merge-patch+json']

/** Handles one PATCH, PUT or DELETE. Never throws: errors become responses. */
export async function handleChange(
  request: Request,
  connect: Connect<PublishHandlerDeps>,
  time = SYSTEM_CLOCK,
): Promise<Response> {
  const arrivedMs = time.now()
  const { pathname } = new URL(request.url)
  const route = matchManageRoute(pathname)
  if (!route?.methods.some((method) => method === request.method)) return await respondElsewhere(request, pathname)
  try {
    const incoming = openLimitedBody(request)
    await incoming.checkLength()
    if (request.method !== 'DELETE') requireJson(request, request.method === 'PATCH' ? PATCH_TYPES : undefined)
    const deps = await connect()
    const bearer = await admitBearer(request, deps, new Date(arrivedMs))
    const { owner = '', name = '', label = '', version = '' } = route.parameters
    if (!isOwner(owner) || !isName(name)) throw invalidNameError()
    const target = targetOf(route.id, request.method, { label, version })
    const bytes = await incoming.read()
    if (bytes.length > 0 && request.method === 'DELETE') requireJson(request)
    const body =
      bytes.length === 0 && request.method === 'DELETE'
        ? {}
        : parseJsonBody(bytes, (text) => findExcess(text, CHANGE_BOUNDS))
    const change = parseChange(target, body)
    requireScope(bearer, owner, name)
    const needed = permissionFor(change)
    requirePermission(bearer, needed)
    if (bearer.holder.kind === 'job')
      await (await import('./admit-job.ts')).admitJob(
        {
          owner,
          name,
          bearer,
          needed,
          arrivedMs,
          job: bearer.holder,
          request: hash('sha256', [request.method, pathname, hash('sha256', bytes)].join('\0')),
        },
        deps,
        time,
      )
    const outcome = await changeInGit({ owner, name, bearer, change, arrivedMs }, deps, time)
    await recordUse(bearer, deps)
    return respondWithChange(outcome)
  } catch (thrown) {
    return (await refusals()).respondToError(request, thrown)
  }
}

/**
 * Carries out an accepted change when it is its turn, with at most one commit, to `index.md`.
 *
 * @throws HubError for every rejection in docs/contract.md section 6 that requires git
 */
async function changeInGit(
  accepted: AcceptedChange,
  deps: PublishDeps,
  time: Clock = SYSTEM_CLOCK,
): Promise<ChangeOutcome> {
  const neighbours = await findNeighbours(accepted.change, deps)
  const operationId = time.newId()
  const ending = await writeToGit(
    { ...accepted, publisher: accepted.bearer.publisher },
    (known) => changeAsWrite({ ...accepted, known, operationId, neighbours }, deps),
    ({ file }) => ({ file, entry: undefined, added: undefined }),
    deps,
    time,
  )
  return ending.kind === 'answer'
    ? ending.answer
    : { repository: ending.decision.repository, isUnchanged: false, commit: ending.commit }
}

function targetOf(id: ManageRouteId, method: string, { label, version }: { label: string; version: string }): Target {
  if (id === 'changeRepository') return { kind: 'patch' }
  if (id === 'manageLabel') {
    if (!isTag(label))
      throw new HubError(
        'not_found',
        'No label can have this name. Labels are lower-case words joined by single hyphens, at most 36 characters.',
      )
    return { kind: method === 'PUT' ? 'label' : 'unlabel', label }
  }
  if (!isVersion(version))
    throw new HubError('not_found', 'No version can have this number. Versions have the form x.y.z.')
  return { kind: method === 'PUT' ? 'yank' : 'unyank', version }
}

/** Looks up the repositories that a change refers to, because the decision itself is pure. */
async function findNeighbours(change: Change, deps: PublishDeps): Promise<Neighbours> {
  const named = change.kind === 'patch' ? [change.fields.moved_to, change.fields.replaced_by] : []
  const found = new Map<string, { file: { moved_to: string | null } }>()
  for (const fullName of named) {
    const { owner = '', name = '' } = (fullName && splitFullName(fullName)) || {}
    const repository = name === '' ? undefined : await findRepository(owner, name, deps)
    if (fullName && repository) found.set(fullName, { file: { moved_to: repository.value().moved_to } })
  }
  return { repositories: found as unknown as Neighbours['repositories'] }
}

function respondWithChange({ repository, isUnchanged, commit }: ChangeOutcome): Response {
  return new Response(JSON.stringify({ data: { ...repository, unchanged: isUnchanged, commit } }), {
    headers: { ...COMMON_HEADERS, 'Cache-Control': 'no-store', 'Content-Type': 'application/json; charset=utf-8' },
  })
}
