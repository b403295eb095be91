// Handles the pages for publishing and managing prompts. A submitted form is parsed, sent to the API's handlers, and redisplayed if they reject it.

import { NO_NOTES } from '../account/field-notes.ts'
import { findNotice, pageNotFound, protect, respondToVisit, type Visited } from '../account/respond-account.ts'
import { isOfSession, requireSameOrigin, sealedToken } from '../account/session.ts'
import { redirectTo } from '../account/sign-in.ts'
import { signInPage } from '../account/views.ts'
import { openVisit, readForm, readSealedForm } from '../account/visit.ts'
import { type Said, sayError } from '../account/words-for-people.ts'
import { EDITOR_METHODS } from '../catalogue/published/addresses.ts'
import { ERRORS, HubError } from '../domain/api/errors.ts'
import type { Repository, VersionRecord } from '../domain/api/schema.ts'
import { printable } from '../domain/text/printable.ts'
import { isName, isOwner } from '../domain/values/names.ts'
import type { Connect } from '../server/hub.ts'
import { findRepository, findVersions } from '../server/read/records.ts'
import { methodNotAllowed } from '../server/refusals.ts'
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
import { formOf } from './form/composed-form.ts'
import { emptyForm, type VersionForm } from './form/version-form.ts'
import { changeOf } from './manage-form.ts'
import { reviewChange } from './review-change.ts'
import { sendVersion, viewVersion } from './send-version.ts'
import type { ManageView, PublishedView, VersionView } from './views.ts'

/** The messages shown after a redirect, by the keyword in the redirect's URL. */
const NOTICES: Readonly<Record<string, string>> = {
  label: 'The label was moved.',
  unlabel: 'The label was removed.',
  yank: 'The version was yanked.',
  unyank: 'The version was un-yanked.',
  status: 'The status was changed.',
  move: 'Saved.',
  'delete-version': 'The version was deleted. Its number is never used again.',
}

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
  // Nothing that somebody typed is lost: the fields of a form stay on the page that answers it.
  if (!session) {
    const typed = isSent ? await readSealedForm(request, deps.secret) : undefined
    const first = signInPage({ kind: 'first', path, isLocal: kind === 'local', typed })
    return protect(first, ERRORS.unauthorized.status, request, deps)
  }
  const form = isSent ? await readForm(request) : undefined
  if (form && !isOfSession(session, 'edit', form.get('csrf'))) {
    form.set('csrf', sealedToken(session, deps.secret))
    const again = signInPage({ kind: 'again', path, login: session.person.login, typed: form })
    return protect(again, ERRORS.forbidden.status, request, deps)
  }
  const editing: Editing = { ...visit, deps, session, repository, form: form ?? new URLSearchParams() }
  if (isOwnerPage) return (await import('./owner-settings.ts')).visitOwnerSettings(editing, owner)
  if (page === 'manage') return request.method === 'POST' ? manage(editing) : showManage(editing, {})
  return request.method === 'POST' ? sendVersion(editing) : showVersion(editing)
}

/** Shows the version form: empty, or filled in with the version to copy, the version to revert to, or the latest version; or what was just published. */
async function showVersion(editing: Editing): Promise<VersionView | PublishedView> {
  const { request, repository, deps } = editing
  const { searchParams } = new URL(request.url)
  if (repository) {
    const published = searchParams.get('published')
    const record = await readVersion(repository, published, deps)
    if (record || published === 'details') return viewPublished(repository, record)
    requireOpen(repository)
    const base = await readLatest(editing, repository)
    const revertTo = await readReverted(editing, repository)
    const form = {
      ...formOf(repository, revertTo ?? base),
      ...(revertTo && { expected: base.version, changelog: `Revert to ${revertTo.version}` }),
    }
    return viewVersion(editing, { form, base, revertTo, notes: NO_NOTES }, [revertTo ?? base])
  }
  const owners = await deps.ownersOf(editing.session.person)
  const from = searchParams.get('from')
  const { form, origin } = from
    ? await copyOf(editing, from, owners)
    : { form: emptyForm(owners[0] ?? ''), origin: undefined }
  return viewVersion(editing, { form, owners, notes: NO_NOTES }, [origin])
}

function viewPublished(repository: Repository, record: VersionRecord | undefined): PublishedView {
  const title = record ? `Published ${record.version}` : 'Saved the details'
  return { page: 'published', title, repository, record }
}

/** Creates the form for a fork. @param from `owner/name@x.y.z` @throws HubError `not_found` */
async function copyOf(
  { deps }: Editing,
  from: string,
  owners: readonly string[],
): Promise<{ form: VersionForm; origin: VersionRecord }> {
  const origin = await readOrigin(from, deps)
  const repository = origin && (await findRepository(origin.owner, origin.name, deps))?.value()
  if (!repository)
    throw new HubError('not_found', `There is no version ${printable(from)} to fork. Start from the page of a prompt.`)
  return { form: { ...formOf(repository, origin), owner: owners[0] ?? '', expected: '', forkedFrom: from }, origin }
}

async function showManage(
  editing: Editing,
  more: { problem?: Said; typed?: URLSearchParams; review?: ManageView['review'] },
): Promise<ManageView> {
  const { request, session, deps, repository } = editing
  const { owner, name, full_name } = repository!
  // What was typed stays in its form, even if the user is no longer a member.
  const isMember = more.typed !== undefined || (await isLikelyMember(editing, owner))
  const found = await findVersions(owner, name, deps)
  const notice = request.method === 'POST' ? undefined : findNotice(request, NOTICES)
  return {
    page: 'manage',
    title: `Manage ${full_name}`,
    csrf: sealedToken(session, deps.secret),
    repository: repository!,
    versions: found?.versions ?? [],
    now: new Date(),
    notice,
    stranger: isMember ? undefined : session.person.login,
    ...more,
  }
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
  return redirectTo(`/${full_name}/manage?done=${form.get('change')}`)
}
