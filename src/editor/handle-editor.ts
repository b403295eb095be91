// Handles the pages for publishing and managing prompts. The editor sends versions to the API; every other form is parsed, sent to the API's handlers, and redisplayed if they reject it.

import * as z from 'zod'
import { pageNotFound, protect, respondToVisit, type Visited } from '../account/respond-account.ts'
import { csrfToken, isOfSession, requireSameOrigin } from '../account/session.ts'
import { offerSignIn, redirectTo, safeReturnPath } from '../account/sign-in.ts'
import { signInPage } from '../account/views.ts'
import { openVisit, readForm, type Visit } from '../account/visit.ts'
import { type Said, sayError } from '../account/words-for-people.ts'
import { EDITOR_METHODS } from '../catalogue/published/addresses.ts'
import { ERRORS, HubError } from '../domain/api/errors.ts'
import type { ProposalSummary } from '../domain/api/proposal.ts'
import { READ_METHODS } from '../domain/api/routes.ts'
import type { Repository, VersionRecord } from '../domain/api/schema.ts'
import { printable } from '../domain/text/printable.ts'
import { isName, isOwner, type RepositoryPlace } from '../domain/values/names.ts'
import type { Connect } from '../server/hub.ts'
import { findRepository, findVersions } from '../server/read/records.ts'
import { methodNotAllowed } from '../server/refusals.ts'
import { openBody } from '../server/request.ts'
import { suggestChange } from '../site/prompt/source-links.ts'
import {
  call,
  type Editing,
  type EditorDeps,
  isLikelyMember,
  readLatest,
  readOrigin,
  readReverted,
  readVersion,
  requireOpen,
  saying,
} from './editing.ts'
import { changeOf } from './manage-form.ts'
import { noticePath, sayDone } from './notices.ts'
import { reviewChange } from './review-change.ts'
import type { EditorStart, ManageView, PublishedView, VersionView } from './views.ts'

/** Handles one request to the editor. Never throws. */
export function handleEditor(request: Request, connect: Connect<EditorDeps>): Promise<Response> {
  return respondToVisit(request, connect, (deps) => visit(request, deps))
}

async function visit(request: Request, deps: EditorDeps): Promise<Visited> {
  const { pathname, search } = new URL(request.url)
  const [owner = '', name = '', page = ''] = pathname.replace(/\/$/, '').split('/').slice(1)
  if (!EDITOR_METHODS.some((method) => method === request.method))
    throw methodNotAllowed(request.method, EDITOR_METHODS)
  // No prompt has this name.
  const isOwnerPage = name === 'settings' && page === ''
  const isNew = owner === 'new' && !isOwnerPage
  if (!isNew && !(isOwner(owner) && (isOwnerPage || isName(name)))) throw pageNotFound()
  if (request.method === 'POST') requireSameOrigin(request, deps.baseUrl)
  if (page === 'proposals') return (await import('./proposal-page.ts')).visitProposal(request, deps)
  const isPromptPage = !isNew && !isOwnerPage
  const repository = isPromptPage ? (await findRepository(owner, name, deps))?.value() : undefined
  if (isPromptPage && !repository) throw pageNotFound()
  const { kind } = deps.signIn
  if (kind === 'off') {
    if (request.method === 'POST')
      throw new HubError('forbidden', 'Sign-in is disabled on this hub. Publish with a token.')
    return signInPage({ kind: 'off' })
  }
  const visit = await openVisit(request, deps, new Date())
  const { session } = visit
  const path = pathname + search
  const isSent = request.method === 'POST'
  if (isSent && page === 'edit') throw methodNotAllowed(request.method, READ_METHODS)
  if (isSent && isNew) return readPastedFile(visit, deps)
  if (!session) return offerSignIn(visit, ERRORS.unauthorized.status, safeReturnPath(path))
  const form = isSent ? await readForm(request) : undefined
  if (form && !isOfSession(session, 'edit', form.get('csrf'))) {
    form.set('csrf', csrfToken(session, 'edit'))
    const again = signInPage({ kind: 'again', path, login: session.person.login, typed: form })
    return protect(again, ERRORS.forbidden.status, request, deps)
  }
  const editing: Editing = { ...visit, deps, session, repository, form: form ?? new URLSearchParams() }
  if (isOwnerPage) return (await import('./owner-settings.ts')).visitOwnerSettings(editing, owner)
  if (page === 'manage') return request.method === 'POST' ? manage(editing) : showManage(editing, {})
  return showVersion(editing)
}

/** Maximum size of a request with a pasted file, whose text may be twice as long in JSON. A longer text is not read as a file anyway. */
const MAX_PASTED_REQUEST_BYTES = 262_144

/** Reads a file that somebody pasted into the editor. @throws HubError `unauthorized`, `content_too_large`, `invalid_request` */
async function readPastedFile({ session, request }: Visit, { runLong }: EditorDeps): Promise<Response> {
  if (!session) throw new HubError('unauthorized', 'Your session has ended. Sign in again.')
  const tooLarge = () =>
    new HubError('content_too_large', `The request is longer than ${MAX_PASTED_REQUEST_BYTES} bytes.`)
  const bytes = await openBody(request, MAX_PASTED_REQUEST_BYTES, tooLarge).read()
  const given = PastedRequest.safeParse(parseJson(new TextDecoder().decode(bytes)))
  if (!given.success)
    throw new HubError('invalid_request', 'Send JSON with the fields content and format, as the editor does.')
  const { readPasted } = await import('./long-work.ts')
  const data = await runLong(readPasted, given.data.content, given.data.format)
  return Response.json({ data }, { headers: { 'Cache-Control': 'no-store' } })
}

const PastedRequest = z.object({ content: z.string(), format: z.string() })

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Shows the editor: empty, or with the version to copy, the version to revert to, or the latest version; or what was just published. */
async function showVersion(editing: Editing): Promise<VersionView | PublishedView> {
  const { request, repository, deps, session } = editing
  const { searchParams } = new URL(request.url)
  const { login } = session.person
  if (!repository) {
    const owners = await deps.ownersOf(session.person)
    return viewVersion('New prompt', { login, owners, ...(await readFork(searchParams.get('from'), deps)) })
  }
  const { full_name } = repository
  const published = searchParams.get('published')
  const record = await readVersion(repository, published, deps)
  if (record || published === 'details') return viewPublished(repository, record)
  requireOpen(repository)
  const base = await readLatest(editing, repository)
  const source = await readReverted(editing, repository)
  const start = { login, prompt: promptOf(repository), base, ...(source && { source }) }
  const isStranger = !(await isLikelyMember(editing, repository.owner))
  const suggestion = isStranger && deps.sourceHost ? suggestChange(deps.sourceHost, base) : undefined
  return { ...viewVersion(`Edit ${full_name}`, start), isStranger, suggestion }
}

const viewVersion = (title: string, start: EditorStart): VersionView => ({
  page: 'version',
  title,
  start,
  isStranger: false,
  suggestion: undefined,
})

/** Returns what the form shows of a prompt, without what only its own page needs. */
function promptOf(repository: Repository): EditorStart['prompt'] {
  const { owner, name, title, description, tags, license, readme, latest_version } = repository
  return { owner, name, title, description, tags, license, readme, latest_version }
}

function viewPublished(repository: Repository, record: VersionRecord | undefined): PublishedView {
  const title = record ? `Published ${record.version}` : 'Saved the details'
  return { page: 'published', title, repository, record }
}

/** Reads what a fork begins with. @param from `owner/name@x.y.z` @throws HubError `not_found` */
async function readFork(from: string | null, deps: EditorDeps): Promise<Pick<EditorStart, 'prompt' | 'source'>> {
  if (from === null || from === '') return {}
  const source = await readOrigin(from, deps)
  const repository = source && (await findRepository(source.owner, source.name, deps))?.value()
  if (!repository)
    throw new HubError('not_found', `There is no version ${printable(from)} to fork. Start from the page of a prompt.`)
  return { prompt: promptOf(repository), source }
}

async function showManage(
  editing: Editing,
  more: { problem?: Said; typed?: URLSearchParams; review?: ManageView['review'] },
): Promise<ManageView> {
  const { request, session, deps, repository } = editing
  const { owner, name, full_name } = repository!
  const isMember = await isLikelyMember(editing, owner)
  const found = await findVersions(owner, name, deps)
  const versions = found?.versions ?? []
  const proposals = isMember ? await listProposals(editing, { owner, name }) : []
  const notice = request.method === 'POST' ? undefined : sayDone(request, { repository: repository!, versions })
  return {
    page: 'manage',
    title: `Manage ${full_name}`,
    csrf: csrfToken(session, 'edit'),
    repository: repository!,
    versions,
    proposals,
    now: new Date(),
    notice,
    // What was typed stays in its form, even if the user is no longer a member.
    stranger: isMember || more.typed ? undefined : session.person.login,
    ...more,
  }
}

async function listProposals({ deps, request }: Editing, place: RepositoryPlace): Promise<ProposalSummary[]> {
  const { listOpen } = await import('../server/publish/proposal-records.ts')
  return listOpen(place, await deps.openPublishHub(request))
}

/** Makes the change requested by a form. */
async function manage(editing: Editing): Promise<Visited> {
  const { request, deps, repository, form } = editing
  const { owner, name, full_name } = repository!
  const again = async (status: number, problem: Said) =>
    protect(await showManage(editing, { problem, typed: form }), status, request, deps)
  const wanted = changeOf(form, { owner, name })
  if (!wanted)
    throw new HubError('invalid_request', 'The form contains an unknown change. Reload the page and try again.')
  const { confirmation, isReviewed } = wanted
  if (confirmation !== undefined && form.get('confirmed') !== confirmation) {
    if (!isReviewed)
      return again(
        ERRORS.validation_failed.status,
        saying('Confirm the effect of this change at its button, then try again.'),
      )
    const reviewed = await reviewChange(editing, wanted.call)
    if (!('error' in reviewed))
      return protect(await showManage(editing, { review: reviewed, typed: form }), 200, request, deps)
    return again(reviewed.status, sayError(reviewed.error, { fullName: full_name }))
  }
  const answer = await call(editing, wanted.call)
  if (!answer.isDone) return again(answer.status, sayError(answer.error, { fullName: full_name }))
  if (wanted.call.id === 'deleteRepository') return redirectTo('/settings?done=deleted')
  return redirectTo(noticePath(full_name, form))
}
