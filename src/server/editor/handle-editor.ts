// Handles the pages for publishing and managing prompts. A submitted form is parsed, sent to the API's handlers, and redisplayed if they reject it.
import type { Session } from '../../domain/access/account.ts'
import { EDITOR_METHODS } from '../../domain/api/addresses.ts'
import { ERRORS, HubError } from '../../domain/api/errors.ts'
import type { Repository, VersionRecord } from '../../domain/api/schema.ts'
import { type Said, sayError, sayProblem } from '../../domain/api/words-for-people.ts'
import { isName, isOwner, isVersion, splitFullName } from '../../domain/content/names.ts'
import type { FreshCopies } from '../../ports/fresh-copies.ts'
import type { SourceHost } from '../../ports/pages.ts'
import type { TextWork } from '../../ports/text-work.ts'
import { suggestChange } from '../../site/prompt/source-links.ts'
import { type Html, type Page, trustedHtml } from '../account/html.ts'
import { findNotice, protect, respondToVisit, type Visited } from '../account/respond-account.ts'
import { requireSameOrigin } from '../account/session.ts'
import { redirectTo } from '../account/sign-in.ts'
import { renderSignInOff } from '../account/sign-in-pages.ts'
import { type AccountDeps, openVisit, requireForm, type Visit } from '../account/visit.ts'
import type { Connect } from '../connect.ts'
import type { PublishHandlerDeps } from '../publish/handle-write.ts'
import { findRepository, findVersion, findVersions } from '../read/records.ts'
import { methodNotAllowed } from '../refusals.ts'
import type { ApiCall, ApiResponse } from './call-api.ts'
import { changeOf, readmeOf, renderManagePage } from './manage-form.ts'
import { compareWithBase, type Review, renderSignInFirst, renderVersionPage, type VersionView } from './pages.ts'
import { bodyOf, emptyForm, formOf, formOfPasted, readVersionForm, type VersionForm } from './version-form.ts'

/** The editor's dependencies. */
export interface EditorDeps extends AccountDeps {
  fresh: FreshCopies
  /** The git host where users without publish permission can suggest a change; undefined if there is none. */
  sourceHost: SourceHost | undefined
  /** Work on somebody's text, on behalf of the client. */
  text: TextWork
  /** Creates the publish dependencies for a request. */
  connectPublish: (request: Request) => Promise<PublishHandlerDeps>
}

/** A request from a signed-in user. */
interface Editing extends Visit {
  deps: EditorDeps
  session: Session
  /** The prompt named in the URL; undefined at `/new`. */
  repository: Repository | undefined
}

/** The messages shown after a redirect, by the keyword in the redirect's URL. */
const NOTICES: Readonly<Record<string, string>> = {
  label: 'The label was moved.',
  unlabel: 'The label was removed.',
  yank: 'The version was yanked.',
  unyank: 'The version was un-yanked.',
  status: 'The status was changed.',
  move: 'Saved.',
  about: 'Saved.',
  readme: 'The readme was saved.',
}

/** Handles one request to the editor. Never throws. */
export function handleEditor(request: Request, connect: Connect<EditorDeps>): Promise<Response> {
  return respondToVisit(request, connect, (deps) => visit(request, deps))
}

async function visit(request: Request, deps: EditorDeps): Promise<Visited> {
  const { pathname, search } = new URL(request.url)
  const [owner = '', name = '', page = ''] = pathname.replace(/\/$/, '').split('/').slice(1)
  // No prompt has this name.
  if (name === 'settings' && page === '')
    return (await import('./owner-settings.ts')).visitOwnerSettings(request, owner, deps)
  if (!EDITOR_METHODS.some((method) => method === request.method))
    throw methodNotAllowed(request.method, EDITOR_METHODS)
  const isNew = owner === 'new'
  if (!isNew && !(isOwner(owner) && isName(name))) throw notFound()
  if (request.method === 'POST') requireSameOrigin(request, deps.baseUrl)
  const repository = isNew ? undefined : (await findRepository(owner, name, deps))?.value()
  if (!isNew && !repository) throw notFound()
  const { kind } = deps.signIn
  if (kind === 'off') {
    if (request.method === 'POST')
      throw new HubError('forbidden', 'Sign-in is disabled on this hub. Publish with a token.')
    return renderSignInOff()
  }
  const visit = await openVisit(request, deps, new Date())
  const { session } = visit
  if (!session) {
    const first = renderSignInFirst(pathname + search, kind === 'local')
    return protect(first, ERRORS.unauthorized.status, request, deps)
  }
  const editing: Editing = { ...visit, deps, session, repository }
  if (page === 'manage') return request.method === 'POST' ? manage(editing) : showManage(editing, {})
  return request.method === 'POST' ? sendVersion(editing) : showVersion(editing)
}

/** Shows the version form: empty, or filled in with the version to copy, the version to revert to, or the latest version. */
async function showVersion(editing: Editing): Promise<Page> {
  const { request, session, repository } = editing
  const { searchParams } = new URL(request.url)
  if (repository) {
    const base = await readLatest(editing, repository)
    const old = await readReverted(editing, repository)
    const form = formOf(repository, old ?? base)
    if (!old) return renderVersionPage({ session, form, base })
    return renderVersionPage({ session, form: { ...form, changelog: `Revert to ${old.version}` }, base, revertTo: old })
  }
  const owners = await ownersOf(editing)
  const form = (await copyOf(editing, searchParams.get('from') ?? '', owners)) ?? emptyForm(owners[0] ?? '')
  return renderVersionPage({ session, form, owners })
}

async function ownersOf({ deps, session }: Editing): Promise<readonly string[]> {
  const { login, user_id } = session.person
  return deps.ownersOf(login, user_id)
}

/** Creates the form for a fork. @param from `owner/name@x.y.z` @returns undefined if there is nothing to copy */
async function copyOf({ deps }: Editing, from: string, owners: readonly string[]): Promise<VersionForm | undefined> {
  const [fullName = '', version = ''] = from.split('@')
  const { owner = '', name = '' } = splitFullName(fullName) ?? {}
  if (name === '' || !isVersion(version)) return undefined
  const repository = (await findRepository(owner, name, deps))?.value()
  const found = (await findVersion(owner, name, version, deps))?.value()
  if (!repository || !found) return undefined
  return { ...formOf(repository, found), owner: owners[0] ?? '', expected: '', forkedFrom: from }
}

/** Reads the version that the URL's `version` parameter names; undefined without it. Its content becomes a new version. */
async function readReverted({ request, deps }: Editing, { owner, name }: Repository) {
  const version = new URL(request.url).searchParams.get('version')
  if (version === null) return undefined
  const found = isVersion(version) ? await findVersion(owner, name, version, deps) : undefined
  if (!found) throw new HubError('not_found', `${owner}/${name} has no such version.`)
  return found.value()
}

async function readLatest({ deps }: Editing, repository: Repository): Promise<VersionRecord> {
  const { owner, name, latest_version } = repository
  const found = latest_version === null ? undefined : await findVersion(owner, name, latest_version, deps)
  if (!found)
    throw new HubError('not_found', 'Every version of this prompt is yanked. Un-yank one, or publish with the API.')
  return found.value()
}

/** Previews a form, or publishes it. */
async function sendVersion(editing: Editing): Promise<Visited> {
  const { session, repository, deps, request } = editing
  const sent = (await requireForm(editing, 'edit')).form
  if (!repository && sent.get('step') === 'paste') {
    const owners = await ownersOf(editing)
    const [owner = ''] = owners
    const source = (sent.get('source') ?? '').replaceAll('\r\n', '\n')
    const file = sent.get('file') ?? ''
    const { prompt, said } = await deps.text.run('readPasted', source, file, sent.get('source_format') ?? '')
    const form = prompt ? formOfPasted(prompt, owner) : emptyForm(owner)
    return protect(renderVersionPage({ session, form, owners, said }), 200, request, deps)
  }
  const base = repository && (await readBase(editing, repository, sent.get('expected') ?? ''))
  const revertTo = repository && (await readReverted(editing, repository))
  const read = readVersionForm(sent, (revertTo ?? base)?.content ?? '')
  const form = repository ? { ...read, owner: repository.owner, name: repository.name } : read
  if (base && sent.get('step') === 'fork') {
    const owners = await ownersOf(editing)
    const forkedFrom = `${form.owner}/${form.name}@${base.version}`
    const fork = { ...form, owner: owners[0] ?? '', expected: '', forkedFrom }
    return protect(renderVersionPage({ session, form: fork, owners }), 200, request, deps)
  }
  const owners = repository ? undefined : await ownersOf(editing)
  const { sourceHost } = deps
  const again = async (
    status: number,
    {
      review,
      theirs,
      ...more
    }: Partial<Pick<VersionView, 'problem' | 'suggestion' | 'form' | 'mayOnlyFork'>> & {
      review?: Review
      theirs?: VersionRecord | undefined
    },
  ) => {
    const view = { session, form, owners, base, revertTo, ...more }
    const compared = await compareWithBase(view, { review, theirs }, deps)
    return protect(renderVersionPage({ ...view, ...compared }), status, request, deps)
  }
  const isDryRun = sent.get('step') !== 'publish'
  const built = bodyOf(form, isDryRun)
  if ('problem' in built) return again(ERRORS.validation_failed.status, { problem: saying(sayProblem(built.problem)) })
  if (!isOwner(form.owner) || !isName(form.name))
    return again(ERRORS.validation_failed.status, {
      problem: saying(
        sayProblem({
          key: 'name',
          message: 'expected lower-case letters, digits and single hyphens, such as code-review',
        }),
      ),
    })
  const { owner, name } = form
  const answer = await call(editing, { method: 'POST', path: `${owner}/${name}/versions`, owner, body: built.body })
  if (!answer.isDone) {
    const newest = answer.error.code === 'version_conflict' ? await findNewestVersion(editing, owner, name) : undefined
    const theirs = newest?.version === base?.version ? undefined : newest
    return again(answer.status, {
      problem: sayError(answer.error, {
        fullName: `${owner}/${name}`,
        isNew: !repository,
        variables: form.variables.map((variable) => variable.name),
      }),
      ...(answer.error.code === 'forbidden' && {
        suggestion: base && sourceHost && suggestChange(sourceHost, base),
        mayOnlyFork: base !== undefined,
      }),
      ...(theirs && base && { theirs, form: { ...form, expected: theirs.version } }),
    })
  }
  const { version, warnings, unchanged } = answer.data as unknown as Review & { unchanged: boolean }
  if (isDryRun && unchanged) return again(200, { problem: saying('Nothing has changed since the latest version.') })
  if (isDryRun) return again(200, { review: { version, warnings } })
  return redirectTo(`/${owner}/${name}`)
}

/** Reads the version that the form was opened with, which the sender expects to be the latest. */
async function readBase(editing: Editing, repository: Repository, expected: string): Promise<VersionRecord> {
  const { owner, name } = repository
  const found = isVersion(expected) ? await findVersion(owner, name, expected, editing.deps) : undefined
  return found?.value() ?? readLatest(editing, repository)
}

async function findNewestVersion({ deps }: Editing, owner: string, name: string) {
  const latest = (await findRepository(owner, name, deps))?.value().latest_version
  return latest ? (await findVersion(owner, name, latest, deps))?.value() : undefined
}

async function showManage(
  { request, session, deps, repository }: Editing,
  more: { problem?: Said; typed?: URLSearchParams; preview?: Html },
): Promise<Page> {
  const { owner, name } = repository!
  const found = await findVersions(owner, name, deps)
  const notice = request.method === 'POST' ? undefined : findNotice(request, NOTICES)
  return renderManagePage({
    session,
    repository: repository!,
    versions: found?.versions.value() ?? [],
    notice,
    ...more,
  })
}

/** Makes the change requested by a form. */
async function manage(editing: Editing): Promise<Visited> {
  const { request, deps, repository } = editing
  const { form } = await requireForm(editing, 'edit')
  const { owner, name, full_name } = repository!
  const again = async (status: number, problem: Said) =>
    protect(await showManage(editing, { problem, typed: form }), status, request, deps)
  if (form.has('preview')) {
    // A dry run checks the user's rights and the readme's length before the readme is rendered.
    const body = { readme: readmeOf(form), dry_run: true }
    const checked = await call(editing, { owner, method: 'PATCH', path: full_name, body })
    if (!checked.isDone) return again(checked.status, sayError(checked.error, { fullName: full_name }))
    const preview = trustedHtml(await deps.text.run('renderMarkdown', body.readme, {}))
    return protect(await showManage(editing, { typed: form, preview }), 200, request, deps)
  }
  const wanted = changeOf(form, full_name)
  if (!wanted)
    throw new HubError('invalid_request', 'The form contains an unknown change. Reload the page and try again.')
  if (wanted.isDangerous && form.get('confirmed') !== 'yes')
    return again(
      ERRORS.validation_failed.status,
      saying('Select the checkbox that describes the effect of this change, then try again.'),
    )
  const answer = await call(editing, { owner, ...wanted.call })
  if (!answer.isDone) return again(answer.status, sayError(answer.error, { fullName: full_name }))
  return redirectTo(`/${owner}/${name}/manage?done=${form.get('change')}`)
}

/** Imports the publish code only when a form is submitted, because most requests only display a form. */
async function call({ deps, session }: Editing, wanted: ApiCall): Promise<ApiResponse> {
  const { callApi } = await import('./call-api.ts')
  return callApi(wanted, session.person, deps.baseUrl, deps.connectPublish)
}

const saying = (sentence: string): Said => ({ sentences: [sentence] })

function notFound(): HubError {
  return new HubError('not_found', 'Page not found.')
}
