// Handles the page of a proposal: shows what accepting it would do, and accepts or rejects it.
import { pageNotFound, protect, type Visited } from '../account/respond-account.ts'
import { csrfToken, isOfSession } from '../account/session.ts'
import { offerSignIn, redirectTo } from '../account/sign-in.ts'
import { openVisit, readForm, type Visit } from '../account/visit.ts'
import { type Said, sayError } from '../account/words-for-people.ts'
import { ERRORS, HubError } from '../domain/api/errors.ts'
import { isProposalId } from '../domain/values/names.ts'
import type { ShownProposal } from '../server/publish/proposal-records.ts'
import { findRepository } from '../server/read/records.ts'
import { call, type Editing, type EditorDeps, isLikelyMember, readVersion, saying } from './editing.ts'
import type { ProposalView } from './views.ts'

/** Answers a request for the page of a proposal. Whoever knows the address may read it. */
export async function visitProposal(request: Request, deps: EditorDeps): Promise<Visited> {
  const [owner = '', name = '', , id = ''] = new URL(request.url).pathname.replace(/\/$/, '').split('/').slice(1)
  if (!isProposalId(id)) throw pageNotFound()
  const hub = await deps.openPublishHub(request)
  const { showProposal } = await import('../server/publish/proposal-records.ts')
  const found = await (await hub.proposals()).find({ owner, name, id })
  if (!found) throw pageNotFound()
  const visit = deps.signIn.kind === 'off' ? undefined : await openVisit(request, deps, new Date())
  const isSent = request.method === 'POST'
  if (isSent && !visit?.session) {
    if (visit) return offerSignIn(visit, ERRORS.unauthorized.status, new URL(request.url).pathname)
    throw new HubError('forbidden', 'Sign-in is disabled on this hub. Accept the proposal with a token.')
  }
  const repository = (await findRepository(owner, name, deps))?.value()
  const form = isSent ? await readForm(request) : undefined
  const editing = visit?.session && openEditing(visit, deps, repository, form)
  let showing: Promise<ShownProposal> | undefined
  // Only once it is needed: what was proposed may have megabytes, and strangers send forms, too.
  const show = () => (showing ??= showProposal(found, hub, Date.now()))
  const view = async (problem?: Said): Promise<ProposalView> => {
    const shown = await show()
    return {
      page: 'proposal',
      title: `Proposal for ${owner}/${name}`,
      owner,
      name,
      proposal: shown.shown,
      record: shown.record,
      base: repository && (await readVersion(repository, repository.latest_version, deps)),
      seen: seenOf(shown),
      person: editing && {
        login: editing.session.person.login,
        csrf: csrfToken(editing.session, 'edit'),
        isMember: await isLikelyMember(editing, owner),
      },
      canSignIn: visit !== undefined,
      problem,
    }
  }
  if (!editing || !form) return view()
  const again = async (status: number, problem: Said) => protect(await view(problem), status, request, deps)
  if (!isOfSession(editing.session, 'edit', form.get('csrf')))
    return again(
      ERRORS.forbidden.status,
      saying('This form is from another session. Review the proposal, then try again.'),
    )
  const isAcceptance = form.get('change') === 'accept'
  if (isAcceptance && !found.decision && form.get('seen') !== seenOf(await show()))
    return again(ERRORS.version_conflict.status, saying('Accepting this would do something else now. Review it again.'))
  const reason = (form.get('reason') ?? '').trim()
  const answer = await call(editing, {
    id: isAcceptance ? 'acceptProposal' : 'rejectProposal',
    parameters: { owner, name, proposal: id },
    body: isAcceptance || reason === '' ? {} : { reason },
  })
  if (!answer.isDone) return again(answer.status, sayError(answer.error, { fullName: `${owner}/${name}` }))
  if (!isAcceptance) return redirectTo(`/${owner}/${name}/proposals/${id}`)
  const { version, unchanged } = answer.data
  return redirectTo(`/${owner}/${name}/edit?published=${unchanged === true ? 'details' : version}`)
}

/** Says what a page shows of a proposal in a few characters, so that nobody accepts anything else. */
function seenOf({ shown: { would_be, draft, changes } }: ShownProposal): string {
  return [would_be, draft?.content_sha256, changes?.from].join(' ')
}

function openEditing(
  visit: Visit,
  deps: EditorDeps,
  repository: Editing['repository'],
  form: URLSearchParams | undefined,
): Editing {
  return { ...visit, deps, session: visit.session!, repository, form: form ?? new URLSearchParams() }
}
