// Handles the settings of an owner. A submitted form is sent to the API's handlers, and redisplayed if they reject it.

import type { FieldNotes } from '../account/field-notes.ts'
import { findNotice, pageNotFound, protect, type Visited } from '../account/respond-account.ts'
import { csrfToken } from '../account/session.ts'
import { redirectTo } from '../account/sign-in.ts'
import type { ErrorView } from '../account/views.ts'
import { sayError } from '../account/words-for-people.ts'
import { mayActFor } from '../domain/access/memberships.ts'
import { ERRORS, HubError } from '../domain/api/errors.ts'
import { DEFAULT_OWNER_FILE, type OwnerFile } from '../domain/content/prompt-file.ts'
import { readOwner } from '../domain/publishing/repository-state.ts'
import { findUser } from '../server/read/records.ts'
import { call, type Editing, type EditorDeps, isLikelyMember } from './editing.ts'
import { ownerChangeOf, placeOwnerProblems } from './owner-form.ts'
import type { OwnerSettingsView, RejectedForm } from './views.ts'

/** The messages shown after a redirect, by the keyword in the redirect's URL, with what fills their slot in double braces. */
const NOTICES: Readonly<Record<string, string>> = {
  profile: 'The {{profile}} was saved.',
  'add-member': 'The {{member}} was added.',
  'remove-member': 'The {{member}} was removed.',
  'add-publisher': 'The workflow is {{trusted}}.',
  'remove-publisher': 'The workflow is {{no longer trusted}}.',
  labels: 'The {{protected labels}} were saved.',
  'add-condition': 'The {{condition}} was saved.',
  'remove-condition': 'The {{condition}} was removed.',
  publishing: 'The {{rule}} was saved.',
}

/** A request from a member. */
interface Settings {
  editing: Editing
  owner: string
  /** The owner's file in git. */
  file: OwnerFile
  /** The commit that last changed it; null if there is none. */
  commit: string | null
}

/** Maximum duration of a call to the git host. */
const READ_MS = 8_000

/** Shows or changes the settings of an owner. @throws HubError for every rejection that no form shows */
export async function visitOwnerSettings(editing: Editing, owner: string): Promise<Visited> {
  const { request, deps, session } = editing
  const isLikely = await isLikelyMember(editing, owner)
  if (!isLikely && !(await findUser(owner, deps))) throw pageNotFound()
  // Git is read only for those whom the build or a fresh copy lists, so that nobody else uses up the git host's limits.
  const found = isLikely ? await readFile(request, owner, deps) : undefined
  if (!found || !mayActFor(session.person, owner, found.file)) {
    const { status } = ERRORS.forbidden
    const message = `You are signed in as ${session.person.login}, who is not a member of ${owner}. Ask a member to add you on this page.`
    const noMember: ErrorView = {
      page: 'error',
      title: 'Only members can open these settings',
      status,
      code: 'forbidden',
      message,
      link: { href: `/${owner}`, text: `Back to ${owner}` },
    }
    return protect(noMember, status, request, deps)
  }
  const settings: Settings = { editing, owner, ...found }
  return request.method === 'POST' ? change(settings) : show(settings)
}

async function readFile(
  request: Request,
  owner: string,
  { openPublishHub }: EditorDeps,
): Promise<Pick<Settings, 'file' | 'commit'>> {
  const { git } = await openPublishHub(request)
  const question = { owner, name: undefined, withPublishes: true }
  const { ownerIndex, publishes } = await git.readFolder(question, { signal: AbortSignal.timeout(READ_MS) })
  const file = readOwner(owner, ownerIndex) ?? DEFAULT_OWNER_FILE
  return { file, commit: ownerIndex === undefined ? null : (publishes[0]?.sha ?? null) }
}

function show(settings: Settings, rejected?: RejectedForm): OwnerSettingsView {
  const { editing, owner, file, commit } = settings
  const { request, session } = editing
  const notice = rejected ? undefined : findNotice(request, NOTICES)
  return {
    page: 'owner-settings',
    title: `Settings of ${owner}`,
    csrf: csrfToken(session, 'edit'),
    person: session.person,
    owner,
    file,
    commit,
    notice,
    rejected,
  }
}

/** Makes the change requested by a form. */
async function change(settings: Settings): Promise<Visited> {
  const { editing, owner, file } = settings
  const { request, deps, session, form } = editing
  const again = (status: number, sentences: readonly string[], problems: FieldNotes['problems'] = []) =>
    protect(show(settings, { form, notes: { problems }, sentences }), status, request, deps)
  const given = form.get('commit') ?? ''
  const expected_commit = given === '' ? null : given
  // The list that a form changes is the one that its page showed.
  if (expected_commit !== settings.commit) return again(ERRORS.version_conflict.status, [conflict(owner)])
  const wanted = ownerChangeOf(form, { person: session.person, owner, file })
  if (!wanted)
    throw new HubError('invalid_request', 'The form contains an unknown change. Reload the page and try again.')
  if (wanted.losesRights && form.get('confirmed') !== 'yes')
    return again(ERRORS.validation_failed.status, [
      'Select the checkbox next to your name, which says what you lose, then try again.',
    ])
  const body = { ...wanted.body, expected_commit }
  const answer = await call(editing, { id: 'changeOwner', parameters: { handle: owner }, body })
  if (answer.isDone) {
    const done = form.get('change') ?? ''
    return redirectTo(wanted.losesRights ? `/${owner}` : `/${owner}/settings?done=${done}`)
  }
  const { error, status } = answer
  if (error.code === 'version_conflict') return again(status, [conflict(owner)])
  if (error.problems) return again(status, [], placeOwnerProblems(form.get('change') ?? '', error.problems))
  return again(status, sayError(error, { fullName: owner }).sentences)
}

const conflict = (owner: string) =>
  `${owner} has changed since you opened this page, which now shows the current values and what you typed. Check it, then send it again.`
