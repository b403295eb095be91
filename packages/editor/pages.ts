// Renders the pages for a new prompt and for the next version. They work without JavaScript.
import type { Session } from '../../src/domain/access/account.ts'
import type { Repository, VersionRecord, Warning } from '../../src/domain/api/schema.ts'
import { countOf } from '../../src/domain/text/count-of.ts'
import { type Html, html, type Page } from '../account/html.ts'
import { renderHidden, renderProblem, renderSnippet } from '../account/page-parts.ts'
import { csrfToken } from '../account/session.ts'
import { type Said, sayWarning } from '../account/words-for-people.ts'
import type { FieldNotes } from './field-parts.ts'
import type { KnownParts, VersionForm } from './form/version-form.ts'
import { renderVersionFields } from './version-fields.ts'

/** What publishing the form would do. */
export interface Review {
  /** The version number that will be assigned; undefined if only details change. */
  version: string | undefined
  warnings: readonly Warning[]
  /** The changed details. */
  changes: readonly { label: string; from: string; to: string }[]
  /** The impact on callers and the changed lines; undefined for a new prompt. */
  comparison: Html | undefined
  /** The digest of what was checked. */
  checked: string
}

/** The data shown on the page for writing a version. */
export interface VersionView {
  session: Session
  form: VersionForm
  /** The included texts that the form knows. */
  parts: KnownParts
  /** The preview as HTML. */
  preview: Html
  /** The owners to choose from; omitted for the next version of an existing prompt. */
  owners?: readonly string[] | undefined
  /** The version that the form was opened with; undefined for a new prompt. */
  base?: VersionRecord | undefined
  /** The version whose content the form was filled in with, to publish it again; undefined if it is the latest. */
  revertTo?: VersionRecord | undefined
  review?: Review | undefined
  notes: FieldNotes
  /** Why the form was rejected as a whole. */
  problem?: Said | undefined
  /** Whether the user may not publish this prompt, and is offered a fork with the typed text. */
  mayOnlyFork?: boolean | undefined
  /** The URL where users without publish permission can suggest the change. */
  suggestion?: string | undefined
  /** The version that someone else published in the meantime. */
  theirs?: { record: VersionRecord; comparison: Html } | undefined
  /** What happened: what was recognised, and what was lost. */
  said?: readonly string[] | undefined
  /** Whether the form has been submitted, so that it contains unpublished text. */
  isSent?: boolean
}

/** Renders the page for writing a version. */
export function renderVersionPage(view: VersionView): Page {
  const { session, form, owners, base, revertTo, review, notes, theirs, said = [] } = view
  const fullName = `${form.owner}/${form.name}`
  const title = base ? `Edit ${fullName}` : 'New prompt'
  const action = base ? `/${fullName}/edit${revertTo ? `?version=${revertTo.version}` : ''}` : '/new'
  const draft = form.forkedFrom === '' ? action : `${action}?from=${form.forkedFrom}`
  const main = html`
<div class="page-head">
  ${base && html`<p class="full-name"><a href="/${form.owner}">${form.owner}</a>/<a href="/${fullName}">${form.name}</a></p>`}
  <h1>${base ? `Edit ${base.version}` : 'New prompt'}</h1>
  <p class="lead">${base ? 'Edit, check how the change affects callers, then publish the next version.' : 'Write the text, check it, then publish it as the first version, 1.0.0.'}</p>
  ${revertTo && html`<p class="quiet">The form contains version ${revertTo.version}. Publishing it creates a new version; no version is changed.</p>`}
  ${form.forkedFrom !== '' && html`<p class="quiet">Started from <a href="/${form.forkedFrom.replace('@', '/v/')}">${form.forkedFrom}</a>.</p>`}
  ${renderProblems(view)}
  ${said.length > 0 && html`<div class="notice" role="status"><ul class="plain">${said.map((sentence) => html`<li>${sentence}</li>`)}</ul></div>`}
  <p class="notice" role="status" data-draft-notice hidden>Your draft was restored. <button type="button" class="small" data-draft-discard>Discard it</button></p>
</div>
${theirs && renderTheirs(theirs)}
<form class="editor" action="${action}" method="post" data-editor data-draft="${session.person.login} ${draft}" data-base="${base ? fullName : ''}" novalidate${view.isSent === true && html` data-sent`}>
  ${renderHidden('csrf', csrfToken(session, 'edit'))}${renderHidden('checked', review?.checked ?? '')}
  <button class="visually-hidden" type="submit" name="step" value="review" tabindex="-1" aria-hidden="true">Check</button>
  ${renderVersionFields({ form, notes, owners, parts: view.parts, preview: view.preview })}
  ${review && renderReview(review, form, base)}
  <div class="publish-bar">
    <p role="status" data-progress>${progressOf(view)}</p>
    ${view.mayOnlyFork && html`<button class="strong" type="submit" name="step" value="fork">Fork with this text</button>`}
    <button${!review && !view.mayOnlyFork && html` class="strong"`} type="submit" name="step" value="review">Check</button>
    <button${review && html` class="strong"`} type="submit" name="step" value="publish">${review?.version === undefined && review ? 'Save the details' : `Publish${review ? ` ${review.version}` : ''}`}</button>
  </div>
</form>`
  return { title, main }
}

function progressOf({ notes, review, problem }: VersionView): string {
  if (notes.problems.length > 0) return countOf(notes.problems.length, 'problem')
  if (problem) return 'Not published'
  return review ? 'Checked, not published yet' : 'Not checked yet'
}

/** Renders why the form was rejected, with a link to each field. */
function renderProblems({ notes: { problems }, problem, suggestion }: VersionView): Html | undefined {
  const more =
    suggestion === undefined
      ? undefined
      : html`<p><a href="${suggestion}" rel="nofollow noopener">Suggest a change</a> instead.</p>`
  if (problem) return renderProblem(problem, more)
  if (problems.length === 0) return undefined
  const link = ({ field, sentence }: FieldNotes['problems'][number]) =>
    field === '' ? sentence : html`<a href="#${field}">${sentence}</a>`
  return html`<div class="notice warns" role="alert"><p>${problems.length === 1 ? 'One field needs your attention:' : `${problems.length} fields need your attention:`}</p><ul class="plain">${problems.map((one) => html`<li>${link(one)}</li>`)}</ul></div>`
}

function renderReview(
  { version, warnings, changes, comparison }: Review,
  form: VersionForm,
  base: VersionRecord | undefined,
): Html {
  const names = form.variables.map(({ name }) => name)
  const title = version === undefined ? 'Changed details' : base ? `${base.version} → ${version}` : `Version ${version}`
  return html`
<section class="review" aria-labelledby="review-title">
  <h2 id="review-title" tabindex="-1" autofocus>${title}</h2>
  ${warnings.length > 0 && html`<div class="notice"><ul class="plain">${warnings.map((warning) => html`<li>${sayWarning(warning, names)}</li>`)}</ul></div>`}
  ${changes.length > 0 && html`<dl class="fact-list">${changes.map(({ label, from, to }) => html`<div><dt>${label}</dt><dd>${from !== '' && html`<del>${from}</del> `}<ins>${to || 'none'}</ins></dd></div>`)}</dl>`}
  ${comparison}
  ${!base && html`<p class="quiet">Nothing has been published yet. Variables: ${names.length === 0 ? 'none' : names.join(', ')}.</p>`}
</section>`
}

function renderTheirs({ record: theirs, comparison }: NonNullable<VersionView['theirs']>): Html {
  return html`
<section aria-labelledby="theirs-title">
  <h2 id="theirs-title">Published meanwhile: ${theirs.version}</h2>
  <p>${theirs.published_by}: ${theirs.changelog || 'No changelog.'} Your text is below, as you typed it. Copy over what you need, then check it again.</p>
  ${comparison}
</section>`
}

/** Renders what was published, and where to go on. @param record undefined if only details were saved */
export function renderPublished(repository: Repository, record: VersionRecord | undefined): Page {
  const { full_name, title } = repository
  const heading = record ? `Published ${record.version}` : 'Saved the details'
  const previous = record?.previous_version
  const main = html`
<div class="page-head" data-published>
  <p class="full-name"><a href="/${repository.owner}">${repository.owner}</a>/<a href="/${full_name}">${repository.name}</a></p>
  <h1>${heading}</h1>
  <p class="lead">${title} is available to everybody who can read this hub.</p>
  <p class="actions"><a class="button strong" href="/${full_name}">View the prompt</a>${record && html`<a class="button" href="/${full_name}/v/${record.version}">View ${record.version}</a>`}${record && previous && html`<a class="button" href="/${full_name}/compare/${previous}...${record.version}">Compare with ${previous}</a>`}<a class="button" href="/${full_name}/edit">Edit again</a><a class="button" href="/${full_name}/manage">Manage</a><a class="button" href="/new">New prompt</a></p>
</div>
${record && html`<section aria-labelledby="use-title"><h2 id="use-title">Use it</h2>${renderSnippet('curl', 'curl', `curl '${record.raw_url}'`)}${renderSnippet('hubcli', 'hubcli', `hubcli add ${full_name}@${record.version}`)}</section>`}`
  return { title: heading, main }
}

/** Renders the page for visitors who are not signed in. */
export function renderSignInFirst(path: string, isLocal: boolean): Page {
  const main = html`
<div class="page-head">
  <h1>Sign in first</h1>
  <p class="lead">You need an account to publish and manage prompts, but not to read them.</p>
  ${
    isLocal
      ? html`<p>Open the link that <code>npm start</code> printed, then come back to this page.</p>`
      : html`<p class="actions"><a class="button strong" href="/auth/sign-in?return_to=${path}">Sign in</a></p>`
  }
</div>`
  return { title: 'Sign in first', main }
}
