// Renders the pages for a new prompt and for the next version. They work without JavaScript.
import type { Session } from '../../domain/access/account.ts'
import type { VersionRecord, Warning } from '../../domain/api/schema.ts'
import { type Said, sayWarning } from '../../domain/api/words-for-people.ts'
import type { ImportFormat } from '../../domain/formats/formats.ts'
import type { ComparedVersion, TextWork } from '../../ports/text-work.ts'
import { comparedOf } from '../../site/prompt/prompt-view.ts'
import { type Html, html, type Page, trustedHtml } from '../account/html.ts'
import { renderHidden, renderProblem } from '../account/page-parts.ts'
import { csrfToken } from '../account/session.ts'
import { renderVersionFields, type VersionForm, variablesOf } from './version-form.ts'

/** The API's response to the preview of a form. */
export interface Review {
  /** The version number that will be assigned. */
  version: string
  warnings: readonly Warning[]
}

/** The data shown on the page for writing a version. */
export interface VersionView {
  session: Session
  form: VersionForm
  /** The owners to choose from; omitted for the next version of an existing prompt. */
  owners?: readonly string[] | undefined
  /** The version that the form was opened with; undefined for a new prompt. */
  base?: VersionRecord | undefined
  /** The version whose content the form was filled in with, to publish it again; undefined if it is the latest. */
  revertTo?: VersionRecord | undefined
  review?: (Review & { comparison: Html | undefined }) | undefined
  /** Why the form was rejected. */
  problem?: Said | undefined
  /** The URL where users without publish permission can suggest the change. */
  suggestion?: string | undefined
  /** Whether the user may not publish this prompt, and is offered a fork with the typed text. */
  mayOnlyFork?: boolean | undefined
  /** The version that someone else published in the meantime. */
  theirs?: { record: VersionRecord; comparison: Html } | undefined
  /** What was lost when converting a pasted file, or why the file was refused. */
  said?: readonly string[] | undefined
}

/** Renders the page for writing a version. */
export function renderVersionPage({
  session,
  form,
  owners,
  base,
  revertTo,
  review,
  problem,
  suggestion,
  mayOnlyFork,
  theirs,
  said,
}: VersionView): Page {
  const fullName = `${form.owner}/${form.name}`
  const title = base ? `Edit ${fullName}` : 'New prompt'
  const main = html`
<div class="page-head">
  ${base && html`<p class="full-name"><a href="/${form.owner}">${form.owner}</a>/<a href="/${fullName}">${form.name}</a></p>`}
  <h1>${base ? `Edit ${base.version}` : 'New prompt'}</h1>
  <p class="lead">${base ? 'Edit the text, review how the change affects callers, then publish the next version.' : 'Write the text, check it, then publish it as the first version, 1.0.0.'}</p>
  ${revertTo && html`<p class="quiet">The form contains version ${revertTo.version}. Publishing it creates a new version; no version is changed.</p>`}
  ${form.forkedFrom !== '' && html`<p class="quiet">Started from <a href="/${form.forkedFrom.replace('@', '/v/')}">${form.forkedFrom}</a>.</p>`}
  ${problem && renderProblem(problem, suggestion === undefined ? undefined : html`<p><a href="${suggestion}" rel="nofollow noopener">Suggest a change</a> instead.</p>`)}
</div>
${!base && renderPaste(session, said)}
${theirs && renderTheirs(theirs)}
${review && renderReview(review, form, base)}
<form class="account-form editor" action="${base ? `/${fullName}/edit${revertTo ? `?version=${revertTo.version}` : ''}` : '/new'}" method="post">
  ${renderHidden('csrf', csrfToken(session, 'edit'))}
  ${renderVersionFields(form, owners)}
  <div class="wide actions">
    ${mayOnlyFork && html`<button class="strong" type="submit" name="step" value="fork">Fork with this text</button>`}
    <button class="${review || mayOnlyFork ? '' : 'strong'}" type="submit" name="step" value="review">Check</button>
    ${review && html`<button class="strong" type="submit" name="step" value="publish">Publish ${review.version}</button>`}
  </div>
</form>`
  return { title, main }
}

/** Renders the form for pasting another tool's file. */
function renderPaste(session: Session, said: readonly string[] | undefined): Html {
  return html`
${said && said.length > 0 && html`<div class="notice" role="status"><ul class="plain">${said.map((sentence) => html`<li>${sentence}</li>`)}</ul></div>`}
<details class="paste"${said?.some((sentence) => sentence.startsWith('Refused')) && html` open`}><summary>Start from another tool’s file</summary>
<form class="account-form" action="/new" method="post">
  ${renderHidden('csrf', csrfToken(session, 'edit'))}${renderHidden('step', 'paste')}
  <input type="hidden" name="file" value="" data-file-name />
  <div class="wide"><label for="source">File</label>
    <textarea id="source" name="source" rows="6" required spellcheck="false" data-drop aria-describedby="source-hint"></textarea>
    <p class="quiet" id="source-hint">Paste it here<span class="needs-script">, or drop it</span>. The hub runs nothing in it and fetches nothing. <a href="/docs/import">Formats</a></p></div>
  <div><label for="source-format">Its format</label><select id="source-format" name="source_format"><option value="">detect</option>${Object.entries(SOURCE_FORMATS).map(([format, words]) => html`<option value="${format}">${words}</option>`)}</select></div>
  <div class="wide"><button type="submit">Fill in the form</button></div>
</form></details>`
}

const SOURCE_FORMATS = {
  ...{
    dotprompt: 'dotprompt',
    prompty: 'Prompty',
    github: 'GitHub Models',
    langfuse: 'Langfuse',
    langchain: 'LangChain',
  },
  ...{ openai: 'OpenAI', mlflow: 'MLflow', promptlayer: 'PromptLayer', copilot: 'GitHub Copilot' },
  ...{ skill: 'Agent Skill', 'claude-command': 'Claude Code command', markdown: 'Markdown', csv: 'CSV' },
} satisfies Record<ImportFormat, string>

/** Compares the version that the form was opened with to the version to be published, and to the version that someone else published. */
export async function compareWithBase(
  { form, base }: Pick<VersionView, 'form' | 'base'>,
  { review, theirs }: { review: Review | undefined; theirs: VersionRecord | undefined },
  { text }: { text: TextWork },
): Promise<Pick<VersionView, 'review' | 'theirs'>> {
  const compare = (to: ComparedVersion) => base && text.run('renderComparison', comparedOf(base), to)
  const next = review && (await compare(nextOf(form, review.version)))
  const other = theirs && (await compare(comparedOf(theirs)))
  return {
    review: review && { ...review, comparison: next && trustedHtml(next.impact + next.lines) },
    theirs: theirs && other && { record: theirs, comparison: trustedHtml(other.lines) },
  }
}

function nextOf(form: VersionForm, version: string): ComparedVersion {
  const { content, format } = form
  return { content, format, version, variables: variablesOf(form), parameters: parse(form.parameters), raw_url: '' }
}

function renderReview(
  { version, warnings, comparison }: NonNullable<VersionView['review']>,
  form: VersionForm,
  base: VersionRecord | undefined,
): Html {
  const names = form.variables.map(({ name }) => name)
  return html`
<section aria-labelledby="review-title">
  <h2 id="review-title">${base ? `${base.version} → ${version}` : `Version ${version}`}</h2>
  ${warnings.length > 0 && html`<div class="notice"><ul class="plain">${warnings.map((warning) => html`<li>${sayWarning(warning, names)}</li>`)}</ul></div>`}
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

const parse = (text: string): Record<string, unknown> => (text === '' ? {} : JSON.parse(text))

/** Renders the page for visitors who are not signed in. @param path where to return to, with its query */
export function renderSignInFirst(path: string, isLocal: boolean): Page {
  const main = html`
<div class="page-head">
  <h1>Sign in first</h1>
  <p class="lead">You need an account to publish and manage prompts, but not to read them.</p>
  ${
    isLocal
      ? html`<p>Open the link that <code>npm start</code> printed, then come back to this page.</p>`
      : html`<p class="actions"><a class="button strong" href="/auth/sign-in?return_to=${encodeURIComponent(path)}">Sign in</a></p>`
  }
</div>`
  return { title: 'Sign in first', main }
}
