// Renders the page for managing a prompt, and converts its submitted forms to API calls. The page works without JavaScript.
import type { Session } from '../../src/domain/access/account.ts'
import type { Repository, VersionSummary } from '../../src/domain/api/schema.ts'
import { LIMITS } from '../../src/domain/limits.ts'
import { Status } from '../../src/domain/values/values.ts'
import { type Html, html, type Page } from '../account/html.ts'
import { renderHidden, renderProblem, renderSelect } from '../account/page-parts.ts'
import { csrfToken } from '../account/session.ts'
import type { Said } from '../account/words-for-people.ts'
import type { ApiCall } from './call-api.ts'
import { splitTags } from './form/version-form.ts'

/** The data shown on the page for managing a prompt. */
interface ManageView {
  session: Session
  repository: Repository
  versions: readonly VersionSummary[]
  notice?: string | undefined
  problem?: Said | undefined
  /** The submitted values, if the form was rejected. */
  typed?: URLSearchParams | undefined
  /** The submitted readme, rendered as HTML. */
  preview?: Html | undefined
}

/** Renders the page for changing a prompt's labels, versions, status, readme and metadata. */
export function renderManagePage({ session, repository, versions, notice, problem, typed, preview }: ManageView): Page {
  const { owner, name, full_name, labels, status } = repository
  const was = (key: string, value: string | null) => typed?.get(key) ?? value ?? ''
  const active = versions.filter(({ yanked }) => !yanked).map(({ version }) => version)
  const withdrawn = versions.filter(({ yanked }) => yanked).map(({ version }) => version)
  const form = (change: string, fields: Html, button: string, warning?: string) => html`
<form class="account-form" action="/${full_name}/manage" method="post">
  ${renderHidden('csrf', csrfToken(session, 'edit'))}${renderHidden('change', change)}
  ${fields}
  ${warning && html`<div class="wide"><label class="check"><input type="checkbox" name="confirmed" value="yes" required /> ${warning}</label></div>`}
  <div class="wide"><button type="submit">${button}</button></div>
</form>`
  const input = (key: string, label: string, value: string, maxlength: number, place = '') =>
    html`<div class="${place}"><label for="${key}">${label}</label><input id="${key}" name="${key}" maxlength="${maxlength}" value="${value}" /></div>`
  // An archived prompt accepts only its status.
  const isArchived = status === 'archived'
  const statusSection = html`
<section aria-labelledby="status-title">
  <h2 id="status-title">Status</h2>
  ${form('status', html`<div><label for="status">Status</label>${renderSelect('status', Status.options, { selected: was('status', status) })}</div>${!isArchived && html`${input('status_message', 'Why, and what to do', was('status_message', repository.status_message), LIMITS.sentenceCharacters)}${input('replaced_by', 'Use instead (owner/name)', was('replaced_by', repository.replaced_by), 129)}`}`, 'Change the status', 'Readers and programs will see the new status. No more versions can be published to an archived prompt.')}
</section>`
  const head = html`
<div class="page-head">
  <p class="full-name"><a href="/${owner}">${owner}</a>/<a href="/${full_name}">${name}</a></p>
  <h1>Manage</h1>
  ${notice && html`<p class="notice" role="status">${notice}</p>`}
  ${problem && renderProblem(problem)}
  ${isArchived ? html`<p class="quiet">This prompt is archived. To change anything else, set its status to active first.</p>` : html`<p class="actions"><a class="button" href="/${full_name}/edit">Edit the next version</a></p>`}
</div>`
  if (isArchived) return { title: `Manage ${full_name}`, main: html`${head}${statusSection}` }
  const main = html`${head}
<section aria-labelledby="labels-title">
  <h2 id="labels-title">Labels</h2>
  <p class="quiet">Programs that request a label get the version that it points to.</p>
  ${Object.keys(labels).length > 0 && html`<dl class="fact-list">${Object.entries(labels).map(([label, version]) => html`<div><dt>${label}</dt><dd>${version}</dd></div>`)}</dl>`}
  ${active.length > 0 && form('label', html`${input('label', 'Label', was('label', ''), LIMITS.tagCharacters)}<div><label for="label-version">Version</label>${renderSelect('version', active, { id: 'label-version', selected: was('version', '') })}</div>`, 'Point the label here')}
  ${Object.keys(labels).length > 0 && form('unlabel', html`<div><label for="unlabel">Label</label>${renderSelect('label', Object.keys(labels), { id: 'unlabel' })}</div>`, 'Remove the label', 'Programs that request this label will fail.')}
</section>
<section aria-labelledby="versions-title">
  <h2 id="versions-title">Yank a version</h2>
  <p class="quiet">A yanked version is never the latest. Requests for its number still return it, with your reason.</p>
  ${active.length > 0 && form('yank', html`<div><label for="yank-version">Version</label>${renderSelect('version', active, { id: 'yank-version' })}</div>${input('reason', 'Reason', was('reason', ''), LIMITS.sentenceCharacters)}`, 'Yank', 'Everyone can see that this version is yanked, and why.')}
  ${withdrawn.length > 0 && form('unyank', html`<div><label for="unyank-version">Yanked version</label>${renderSelect('version', withdrawn, { id: 'unyank-version' })}</div>`, 'Un-yank')}
</section>
${statusSection}
<section aria-labelledby="rename-title">
  <h2 id="rename-title">Rename</h2>
  <p class="quiet">A published name never changes. To rename this prompt, <a href="/new${repository.latest_version && `?from=${full_name}@${repository.latest_version}`}">publish it under the new name</a>, then name that prompt here:</p>
  <ul class="quiet">
    <li>Its address stays, shows its versions, and points to the new prompt.</li>
    <li>Programs that lock or pin a version, or request a label, keep getting the same text from here. <code>hubcli outdated</code> tells them where it moved.</li>
    <li>It leaves the lists and the search, and accepts no more versions. Labels can still be moved.</li>
    <li>Its other versions, its labels and its download counts are not copied.</li>
  </ul>
  ${form('move', html`${input('moved_to', 'Moved to (owner/name)', was('moved_to', repository.moved_to), 129)}`, repository.moved_to === null ? 'Point to the new prompt' : 'Change where it points', 'No more versions can be published here, and lists no longer show this prompt. Empty the field to undo this.')}
</section>
<section aria-labelledby="about-title">
  <h2 id="about-title">Title, description, tags, license</h2>
  ${form('about', html`${input('title', 'Title', was('title', repository.title), LIMITS.titleCharacters, 'wide')}${input('description', 'Description', was('description', repository.description), LIMITS.descriptionCharacters, 'wide')}${input('tags', 'Tags, separated by commas', was('tags', repository.tags.join(', ')), 1_000)}${input('license', 'License (SPDX)', was('license', repository.license), 200)}`, 'Save')}
</section>
<section aria-labelledby="readme-title">
  <h2 id="readme-title">Readme</h2>
  ${form(
    'readme',
    html`<div class="wide"><label for="readme">Markdown</label><textarea id="readme" name="readme" rows="14">
${was('readme', repository.readme)}</textarea></div>
    <div class="wide"><button type="submit" name="preview" value="yes">Preview</button></div>`,
    'Save the readme',
  )}
  ${preview && html`<h3 id="preview">Preview</h3><div class="prose" dir="auto">${preview}</div>`}
</section>`
  return { title: `Manage ${full_name}`, main }
}

/** Returns the submitted readme. */
export function readmeOf(form: URLSearchParams): string {
  return (form.get('readme') ?? '').replaceAll('\r\n', '\n')
}

/** Returns the API call for a submitted form. @returns undefined if no page contains such a form */
export function changeOf(
  form: URLSearchParams,
  fullName: string,
): { call: Omit<ApiCall, 'owner'>; isDangerous: boolean } | undefined {
  const text = (key: string) => (form.get(key) ?? '').trim()
  const orNull = (key: string) => text(key) || null
  const to = (method: ApiCall['method'], place: string, body: object, isDangerous = false) => ({
    call: { method, path: `${fullName}${place}`, body },
    isDangerous,
  })
  const label = encodeURIComponent(text('label'))
  const version = encodeURIComponent(text('version'))
  switch (form.get('change')) {
    case 'label':
      return to('PUT', `/labels/${label}`, { version: text('version') })
    case 'unlabel':
      return to('DELETE', `/labels/${label}`, {}, true)
    case 'yank':
      return to('PUT', `/versions/${version}/yank`, { reason: text('reason') }, true)
    case 'unyank':
      return to('DELETE', `/versions/${version}/yank`, {})
    case 'status': {
      // The form of an archived prompt has only the status.
      const given = ['status_message', 'replaced_by'].filter((field) => form.has(field))
      const details = Object.fromEntries(given.map((field) => [field, orNull(field)]))
      return to('PATCH', '', { status: text('status'), ...details }, true)
    }
    case 'move':
      return to('PATCH', '', { moved_to: orNull('moved_to') }, true)
    case 'about': {
      const [title, description, license] = [text('title'), text('description'), orNull('license')]
      return to('PATCH', '', { title, description, license, tags: splitTags(text('tags')) })
    }
    case 'readme':
      return to('PATCH', '', { readme: readmeOf(form) })
    default:
      return undefined
  }
}
