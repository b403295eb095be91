// Handles a submitted version form: fills it in from a pasted file, checks it, or publishes what was checked.
import { hash } from 'node:crypto'
import { type FieldProblem, NO_NOTES } from '../account/field-notes.ts'
import { protect, type Visited } from '../account/respond-account.ts'
import { sealedToken } from '../account/session.ts'
import { redirectTo } from '../account/sign-in.ts'
import { type Said, sayError, sayProblem } from '../account/words-for-people.ts'
import { ERRORS } from '../domain/api/errors.ts'
import type { Repository, VersionRecord } from '../domain/api/schema.ts'
import { cutSource } from '../domain/compose/include-lines.ts'
import type { ValueProblem } from '../domain/text/problems.ts'
import { findRepository } from '../server/read/records.ts'
import { suggestChange } from '../site/prompt/source-links.ts'
import type { ApiResponse } from './call-api.ts'
import {
  call,
  type Editing,
  readLatest,
  readOrigin,
  readReverted,
  readUnshown,
  readVersion,
  saying,
} from './editing.ts'
import { formBaseOf, knownPartsOf } from './form/composed-form.ts'
import type { JudgedForm } from './form/judge-form.ts'
import {
  type FormBase,
  fieldOfProblem,
  placeOfField,
  previewedOf,
  type SentForm,
  splitTags,
  type VersionForm,
} from './form/version-form.ts'
import type { Review, VersionView } from './views.ts'

/** A form with what it was opened with. */
interface Sending {
  editing: Editing
  sent: SentForm
  base: VersionRecord | undefined
  /** The version whose content the form was filled in with, to publish it again; undefined if it is the latest. */
  revertTo: VersionRecord | undefined
  /** The version that a new prompt is forked from. */
  origin: VersionRecord | undefined
  formBase: FormBase | undefined
  owners: readonly string[] | undefined
  /** What the form would publish, after a check without problems. */
  assembled?: VersionRecord
}

/** Handles a submitted form. */
export async function sendVersion(editing: Editing): Promise<Visited> {
  const { repository, deps } = editing
  const sent = Object.fromEntries(editing.form)
  const base = repository && (await readBase(editing, repository, sent.expected ?? ''))
  const revertTo = repository && (await readReverted(editing, repository))
  const formBase = repository && base && formBaseOf(repository, revertTo ?? base)
  const origin = repository ? undefined : await readOrigin(sent.forked_from ?? '', deps)
  const owners = repository ? undefined : await editing.deps.ownersOf(editing.session.person)
  const sending = { editing, sent, base, revertTo, origin, formBase, owners }
  if (sent.step === 'recognise') {
    const { readPastedForm } = await import('./long-work.ts')
    const { form, format, said } = await deps.runLong(readPastedForm, sent, sent.source_format ?? '', formBase)
    const recognised = format === undefined ? [] : [`Recognised as: ${format}.`]
    return show(sending, form, 200, { said: [...recognised, ...said] })
  }
  const before = origin && cutSource(origin)
  const { judgeForm } = await import('./long-work.ts')
  const judged = await deps.runLong(judgeForm, sent, formBase, sent.apply, before)
  if (base && sent.step === 'fork') return fork(sending, judged.form, base)
  return judged.problems.length > 0 ? refuse(sending, judged) : sendJudged(sending, judged)
}

/** Shows a form for a fork with the typed text. */
async function fork(
  { editing, ...sending }: Sending,
  form: VersionForm,
  { version }: VersionRecord,
): Promise<Response> {
  const owners = await editing.deps.ownersOf(editing.session.person)
  const forkedFrom = `${form.owner}/${form.name}@${version}`
  const forked = { ...form, owner: owners[0] ?? '', expected: '', forkedFrom }
  return show({ ...sending, editing, base: undefined, revertTo: undefined, owners }, forked, 200, {})
}

/** Shows a form again with all its problems. */
function refuse(sending: Sending, { form, problems, suggestions }: JudgedForm): Promise<Response> {
  const names = form.variables.map(({ name }) => name)
  const notes = { problems: placeProblems(problems, names), suggestions }
  return show(sending, form, ERRORS.validation_failed.status, { notes })
}

/** Places problems at their fields, in the order of the page. @param variables the names of the variables, in order */
function placeProblems(problems: readonly ValueProblem[], variables: readonly string[]): FieldProblem[] {
  return problems
    .map((problem) => ({
      field: fieldOfProblem(problem.key, variables),
      sentence: sayProblem(problem, variables),
      words: sayProblem({ key: '', message: problem.message.charAt(0).toUpperCase() + problem.message.slice(1) }),
    }))
    .sort((a, b) => placeOfField(a.field, variables) - placeOfField(b.field, variables))
}

/** Checks a form in which nothing is wrong. Publishes it if it is what was checked before. */
async function sendJudged(sending: Sending, judged: JudgedForm): Promise<Visited> {
  const { editing, sent } = sending
  const { form, publish, details } = judged
  const { owner, name } = form
  const source = sending.revertTo ?? sending.origin
  const unshown = await readUnshown(editing, source, publish.skill)
  const path = `${owner}/${name}`
  const send = (isDry: boolean) => {
    const body = { ...publish, ...unshown, dry_run: isDry }
    return call(editing, { id: 'publishVersion', parameters: { owner, name }, body })
  }
  // A prompt that is included may have a new version since the check, and nobody has seen the text with it.
  const assembled = form.compose ? await send(true) : undefined
  const shown = [source?.full_name, source?.version, assembled?.isDone && assembled.data.content_sha256]
  const checked = hash('sha256', JSON.stringify([owner, name, publish, details, ...shown]))
  const isPublish = sent.step === 'publish' && sent.checked === checked
  const answer = assembled && (!isPublish || !assembled.isDone) ? assembled : await send(!isPublish)
  if (!answer.isDone) return explain(sending, judged, answer)
  const { unchanged, ...record } = answer.data as unknown as Answer
  if (!isPublish) return review(sending, judged, { unchanged, record, checked })
  if (Object.keys(details).length > 0) {
    const saved = await call(editing, { id: 'changeRepository', parameters: { owner, name }, body: details })
    if (!saved.isDone) {
      const why = sayError(saved.error, { fullName: path }).sentences.join(' ')
      const words = `${unchanged ? 'The other details were saved' : `${record.version} was published`}, but not the readme and the license: ${why}`
      return show(sending, { ...form, expected: record.version }, saved.status, { problem: saying(words) })
    }
  }
  return redirectTo(`/${path}/edit?published=${unchanged ? 'details' : record.version}`)
}

const NOT_CHECKED = 'Review what publishing does, then publish.'
const CHANGED_FORM = 'You changed the form after the last check. Review it, then publish.'
const CHANGED_PARTS =
  'The form, or a prompt that it includes, changed after the last check. Review the text, then publish.'

type Answer = VersionRecord & Pick<Review, 'warnings'> & { unchanged: boolean }

/** Shows what publishing the form would do. */
async function review(
  sending: Sending,
  { form, details, suggestions }: JudgedForm,
  { unchanged, record, checked }: { unchanged: boolean; record: Omit<Answer, 'unchanged'>; checked: string },
): Promise<Response> {
  const { editing, base, sent } = sending
  const changes = editing.repository ? listChanges(editing.repository, form, details) : []
  const notes = { problems: [], suggestions }
  if (unchanged && changes.length === 0)
    return show(sending, form, 200, { notes, problem: saying('Nothing has changed since the latest version.') })
  const compared = base && !unchanged ? await compare(base, record) : undefined
  const { warnings, version } = record
  return show({ ...sending, assembled: record }, form, 200, {
    notes,
    review: {
      warnings,
      changes,
      checked,
      version: unchanged ? undefined : version,
      comparison: compared && compared.impact + compared.lines + compared.files,
    },
    ...(sent.step === 'publish' && {
      said: [!sent.checked ? NOT_CHECKED : form.compose ? CHANGED_PARTS : CHANGED_FORM],
    }),
  })
}

/** Lists the details that a form changes. */
function listChanges(before: Repository, form: VersionForm, details: JudgedForm['details']): Review['changes'] {
  const all = [
    ['Title', before.title, form.title],
    ['Description', before.description, form.description],
    ['Tags', before.tags.join(', '), splitTags(form.tags).join(', ')],
    ['License', before.license ?? '', form.license],
  ] as const
  const changes = all.filter(([, from, to]) => from !== to).map(([label, from, to]) => ({ label, from, to }))
  return details.readme === undefined ? changes : [...changes, { label: 'Readme', from: '', to: 'changed' }]
}

/** Shows why the API refused a form. */
async function explain(
  sending: Sending,
  { form, suggestions }: JudgedForm,
  { status, error }: Extract<ApiResponse, { isDone: false }>,
): Promise<Response> {
  const { editing, base } = sending
  const { owner, name } = form
  const { deps, repository } = editing
  const names = form.variables.map((variable) => variable.name)
  if (error.problems)
    return show(sending, form, status, { notes: { problems: placeProblems(error.problems, names), suggestions } })
  const problem: Said = sayError(error, { fullName: `${owner}/${name}`, isNew: !repository, variables: names })
  const newest = error.code === 'version_conflict' ? await findNewestVersion(editing, owner, name) : undefined
  const theirs = base && newest && newest.version !== base.version ? newest : undefined
  const compared = theirs && (await compare(base!, theirs))
  const suggestion =
    error.code === 'forbidden' && base && deps.sourceHost ? suggestChange(deps.sourceHost, base) : undefined
  return show(sending, theirs ? { ...form, expected: theirs.version } : form, status, {
    problem,
    suggestion,
    notes: { problems: [], suggestions },
    mayOnlyFork: error.code === 'forbidden' && base !== undefined,
    ...(theirs && compared && { theirs: { record: theirs, comparison: compared.lines } }),
  })
}

/** Shows the form as it was submitted. */
async function show(
  { editing, base, revertTo, owners, assembled }: Sending,
  form: VersionForm,
  status: number,
  more: Partial<VersionView>,
): Promise<Response> {
  const { deps, request } = editing
  const origin = base ? undefined : await readOrigin(form.forkedFrom, editing.deps)
  const shown = { form, owners, base, revertTo, notes: NO_NOTES, isSent: true, ...more }
  return protect(await viewVersion(editing, shown, [assembled, revertTo, base, origin]), status, request, deps)
}

/** Returns the page for writing a version. @param known the versions whose included texts the preview shows */
export async function viewVersion(
  { session, deps }: Editing,
  shown: Omit<VersionView, 'page' | 'title' | 'login' | 'csrf' | 'parts' | 'preview'>,
  known: readonly (VersionRecord | undefined)[],
): Promise<VersionView> {
  const { form, base } = shown
  const title = base ? `Edit ${form.owner}/${form.name}` : 'New prompt'
  const parts = knownPartsOf(known)
  const { renderPreview } = await import('../site/prompt/preview.ts')
  const preview = renderPreview(previewedOf(form, parts))
  return {
    page: 'version',
    title,
    login: session.person.login,
    csrf: sealedToken(session, deps.secret),
    parts,
    preview,
    ...shown,
  }
}

/** Renders a comparison of two versions. The code is imported only when something is compared. */
async function compare(from: VersionRecord, to: VersionRecord) {
  const { renderComparison } = await import('../site/prompt/render-difference.ts')
  return renderComparison(from, to)
}

/** Reads the version that the form was opened with, which the sender expects to be the latest. */
async function readBase(editing: Editing, repository: Repository, expected: string): Promise<VersionRecord> {
  return (await readVersion(repository, expected, editing.deps)) ?? readLatest(editing, repository)
}

async function findNewestVersion({ deps }: Editing, owner: string, name: string) {
  const repository = (await findRepository(owner, name, deps))?.value()
  return repository && readVersion(repository, repository.latest_version, deps)
}
