// Renders the settings of an owner: profile, members, trusted workflows, protected labels, and who may publish. The page works without JavaScript.
import type { Session } from '../../src/domain/access/account.ts'
import type { OwnerFile } from '../../src/domain/content/prompt-file.ts'
import { LIMITS } from '../../src/domain/limits.ts'
import { SERVER_LIMITS } from '../../src/domain/server-limits.ts'
import { isProviderMember } from '../../src/domain/values/member-entry.ts'
import { PERMISSIONS } from '../../src/domain/values/permissions.ts'
import { type Html, html, type Page } from '../account/html.ts'
import { renderHidden, renderSelect } from '../account/page-parts.ts'
import { csrfToken } from '../account/session.ts'
import { renderConditions } from './label-conditions.ts'
import { isSamePerson } from './owner-form.ts'

/** The data shown in an owner's settings. */
interface OwnerSettingsView {
  session: Session
  owner: string
  file: OwnerFile
  /** The commit that last changed the file; null if there is none. */
  commit: string | null
  notice?: string | undefined
  /** The rejected form. */
  rejected?: RejectedForm | undefined
}

/** A rejected form. */
export interface RejectedForm {
  form: URLSearchParams
  /** What is wrong, by field. */
  problems: ReadonlyMap<string, readonly string[]>
  /** What is wrong with the form as a whole. */
  sentences: readonly string[]
}

/** Renders an owner's settings. */
export function renderOwnerSettings(view: OwnerSettingsView): Page {
  const { owner, notice } = view
  const main = html`
<div class="page-head">
  <p class="full-name"><a href="/${owner}">${owner}</a></p>
  <h1>Settings</h1>
  ${notice && html`<p class="notice" role="status">${notice}</p>`}
  ${renderRejection(view)}
</div>
${renderProfile(view)}
${renderMembers(view)}
${renderPublishers(view)}
${renderLabels(view)}
${renderPublishing(view)}`
  return { title: `Settings of ${owner}`, main }
}

/** Renders the page for somebody who is signed in, but no member. */
export function renderNoMember({ person }: Session, owner: string): Page {
  const main = html`
<div class="page-head">
  <p class="full-name"><a href="/${owner}">${owner}</a></p>
  <h1>Only members can open these settings</h1>
  <p class="lead">You are signed in as <strong>${person.login}</strong>, who is not a member of ${owner}. Ask a member to add you on this page.</p>
  <p class="actions"><a class="button" href="/${owner}">Back to ${owner}</a> <a class="button" href="/settings">Your account</a></p>
</div>`
  return { title: `Settings of ${owner}`, main }
}

/** Lists everything that is wrong, with links to the fields, so that nobody has to search the page. */
function renderRejection({ rejected }: OwnerSettingsView): Html | undefined {
  if (!rejected) return undefined
  const ofFields = [...rejected.problems].flatMap(([field, sentences]) =>
    sentences.map((sentence) => html`<li><a href="#${field}">${sentence}</a></li>`),
  )
  return html`<div class="notice" role="alert"><p>Nothing was changed.</p><ul class="plain">${rejected.sentences.map((sentence) => html`<li>${sentence}</li>`)}${ofFields}</ul></div>`
}

function renderProfile(view: OwnerSettingsView): Html {
  const { name, website, avatar_url, bio } = view.file
  const place = 'wide'
  const fields = html`
  ${renderField(view, { change: 'profile', key: 'name', label: 'Name', value: name, most: LIMITS.titleCharacters, place })}
  ${renderField(view, { change: 'profile', key: 'website', label: 'Website', value: website, most: LIMITS.addressCharacters, type: 'url', place })}
  ${renderField(view, { change: 'profile', key: 'avatar_url', label: 'Picture', value: avatar_url, most: LIMITS.addressCharacters, type: 'url', place, hint: 'The address of a picture on avatars.githubusercontent.com. Pages show no pictures from elsewhere.' })}
  <div class="wide"><label for="bio">Bio</label><textarea id="bio" name="bio" rows="8"${marks(view, 'bio', 'bio-hint')}>
${typedIn(view, 'profile', 'bio') ?? bio}</textarea>
    <p class="quiet" id="bio-hint">Shown on your page, as Markdown.</p>${renderProblems(view, 'bio')}</div>`
  return renderSection('profile', 'Profile', html`${renderForm(view, 'profile', fields, html`Save the profile`)}`)
}

function renderMembers(view: OwnerSettingsView): Html {
  const { session, owner, file } = view
  const isLast = file.members.length === 1
  const rows = file.members.map((member, place) => {
    const isMe = isSamePerson(member, session.person)
    const words = renderMember(member)
    const button = html`Remove<span class="visually-hidden"> ${words}</span>`
    const sure =
      isMe &&
      html`<label class="check"><input type="checkbox" name="confirmed" value="yes" required /> I will no longer be able to publish to ${owner} or open this page.</label>`
    return html`<li><span>${words}${isMe && html` <span class="mark">you</span>`}</span>${!isLast && renderRemoval(view, 'remove-member', place, button, sure)}</li>`
  })
  const fields = html`
  ${renderField(view, { change: 'add-member', key: 'member', label: 'New member', value: '', most: SERVER_LIMITS.providerMemberCharacters, isRequired: true })}
  <div><label for="kind">Given as</label>${renderSelect('kind', Object.keys(MEMBER_KINDS), { selected: typedIn(view, 'add-member', 'kind') ?? (session.person.oidc ? 'oidc' : 'login'), words: MEMBER_KINDS })}</div>
  <p class="quiet wide">For your company’s sign-in, give a verified email address, or the subject on the person’s account page. GitHub may give a username to another person, but never an ID: <code>gh api users/USERNAME --jq .id</code> prints it.</p>`
  const words = html`
  <p class="quiet">Members publish to ${owner}, manage its prompts, and change this page.</p>
  ${
    rows.length > 0
      ? html`<ul class="entries">${rows}</ul>${isLast && html`<p class="quiet">The last member cannot be removed. Add somebody first.</p>`}`
      : html`<p>${owner} has no list of members: it belongs to whoever signs in as ${owner}. With the first new member, you become a member too.</p>`
  }
  ${renderForm(view, 'add-member', fields, html`Add the member`)}`
  return renderSection('members', 'Members', words)
}

/** How a form may give a member. */
const MEMBER_KINDS = { login: 'GitHub username', id: 'GitHub ID', oidc: 'Company account' }

function renderMember(member: OwnerFile['members'][number]): Html {
  if (typeof member === 'number') return html`GitHub ID ${member}`
  return isProviderMember(member)
    ? html`${member.slice('oidc:'.length)} <span class="quiet">(company account)</span>`
    : html`${member}`
}

function renderPublishers(view: OwnerSettingsView): Html {
  const { owner, file } = view
  const rows = file.trusted_publishers.map(({ repository, workflow, environment, ref, repos, permissions }, place) => {
    const more = [
      ...(environment === undefined ? [] : [`environment ${environment}`]),
      ...(ref === undefined ? [] : [ref]),
      ...(repos === undefined ? [] : [repos.join(', ')]),
      permissions.join(', '),
    ]
    const words = html`${repository}: ${workflow}`
    const button = html`Remove<span class="visually-hidden"> ${words}</span>`
    return html`<li><span>${words}<br /><span class="quiet">${more.join(' · ')}</span></span>${renderRemoval(view, 'remove-publisher', place, button)}</li>`
  })
  const field = (key: string, label: string, most: number, more: Partial<Field> = {}) =>
    renderField(view, { change: 'add-publisher', key, label, value: '', most, ...more })
  const ticked = view.rejected?.form.get('change') === 'add-publisher' ? view.rejected.form.getAll('permissions') : []
  const fields = html`
  ${field('repository', 'Repository on GitHub', 140, { isRequired: true, hint: 'Such as octo/prompts.' })}
  ${field('repository_id', 'ID of the repository', 19, { isRequired: true, hint: html`<code>gh api repos/octo/prompts --jq .id</code>` })}
  ${field('repository_owner_id', 'ID of its owner', 19, { isRequired: true, hint: html`<code>gh api repos/octo/prompts --jq .owner.id</code>` })}
  ${field('workflow', 'Workflow', 500, { isRequired: true, hint: 'Its file name, such as publish.yml.' })}
  ${field('environment', 'Environment (optional)', 255)}
  ${field('ref', 'Branch or tag (optional)', 255, { hint: 'In full, such as refs/heads/main or refs/tags/v*.' })}
  ${field('repos', 'Prompts (optional)', 2_000, { place: 'wide', hint: `Names without ${owner}/, separated by commas. Without names, all prompts.` })}
  <fieldset class="wide" id="permissions"><legend>It may</legend>
    ${PERMISSIONS.map((permission) => html`<div><label class="check"><input type="checkbox" name="permissions" value="${permission}"${(ticked.length > 0 ? ticked.includes(permission) : permission === 'publish') && html` checked`} /> <code>${permission}</code></label></div>`)}
    ${renderProblems(view, 'permissions')}
  </fieldset>`
  const words = html`
  <p class="quiet">These workflows publish without a token. <a href="/docs/trusted-publishing">Trusted publishing</a></p>
  ${rows.length > 0 && html`<ul class="entries">${rows}</ul>`}
  <details class="paste"${ticked.length > 0 && html` open`}><summary>Trust a workflow</summary>
  ${renderForm(view, 'add-publisher', fields, html`Trust the workflow`)}
  </details>`
  return renderSection('trusted_publishers', 'Trusted workflows', words)
}

function renderLabels(view: OwnerSettingsView): Html {
  const { protected_labels } = view.file
  const value = protected_labels.filter((one) => typeof one === 'string').join(', ')
  const fields = renderField(view, {
    ...{ change: 'labels', key: 'protected_labels', label: 'Labels, separated by commas', value, most: 4_000 },
    ...{ place: 'wide', hint: 'Only a token with the permission maintain, or a member, can move these labels.' },
  })
  const conditions = renderConditions(protected_labels, {
    field: (key, label, most, more) =>
      renderField(view, { change: 'add-condition', key, label, value: '', most, ...more }),
    form: (parts, button) => renderForm(view, 'add-condition', parts, button),
    removal: (place, button) => renderRemoval(view, 'remove-condition', place, button),
    isOpen: view.rejected?.form.get('change') === 'add-condition',
  })
  const form = renderForm(view, 'labels', fields, html`Save the labels`)
  return renderSection('labels', 'Protected labels', html`${form}${conditions}`)
}

function renderPublishing(view: OwnerSettingsView): Html {
  const { owner, file } = view
  const words = {
    '': 'Members, tokens and trusted workflows',
    'trusted-only': 'Only trusted workflows',
    'signed-only': 'Anyone who may publish, but only with an attestation of a trusted workflow',
  }
  const selected = typedIn(view, 'publishing', 'publishing') ?? file.publishing ?? ''
  const fields = html`<div class="wide"><label for="publishing">New versions come from</label>${renderSelect('publishing', Object.keys(words), { selected, words })}
  <p class="quiet">With “only trusted workflows”, nobody can publish to ${owner} with a token or in the editor. An attestation is a signature, which the editor cannot make: see <a href="/docs/trust">What the checks mean</a>.${file.trusted_publishers.length === 0 && ' No workflow is trusted now, so nobody could publish at all.'}</p>${renderProblems(view, 'publishing')}</div>`
  return renderSection('who', 'Who may publish', renderForm(view, 'publishing', fields, html`Save the rule`))
}

function renderSection(id: string, title: string, body: Html): Html {
  return html`
<section aria-labelledby="${id}-title">
  <h2 id="${id}-title">${title}</h2>
  ${body}
</section>`
}

function renderForm(view: OwnerSettingsView, change: string, fields: Html, button: Html): Html {
  return html`
<form class="account-form" action="/${view.owner}/settings" method="post">
  ${renderOrigin(view, change)}
  ${fields}
  <div class="wide"><button type="submit">${button}</button></div>
</form>`
}

/** Renders the button that removes an entry of a list. @param sure a checkbox that must be selected first */
function renderRemoval(
  view: OwnerSettingsView,
  change: string,
  place: number,
  button: Html,
  sure?: Html | false,
): Html {
  return html`<form action="/${view.owner}/settings" method="post">${renderOrigin(view, change)}${renderHidden('place', String(place))}${sure}<button type="submit">${button}</button></form>`
}

/** Renders what every form sends: proof of the session, which form it is, and the file that it was rendered from. */
function renderOrigin({ session, commit }: OwnerSettingsView, change: string): Html {
  return html`${renderHidden('csrf', csrfToken(session, 'edit'))}${renderHidden('change', change)}${renderHidden('commit', commit ?? '')}`
}

interface Field {
  /** The form that the field is in. */
  change: string
  key: string
  label: string
  value: string | null
  most: number
  type?: 'url'
  place?: 'wide'
  hint?: string | Html
  isRequired?: boolean
}

function renderField(
  view: OwnerSettingsView,
  { change, key, label, value, most, type, place, hint, isRequired }: Field,
): Html {
  const shown = typedIn(view, change, key) ?? value ?? ''
  return html`<div${place && html` class="${place}"`}><label for="${key}">${label}</label><input id="${key}" name="${key}"${type && html` type="${type}"`} maxlength="${most}" value="${shown}"${isRequired && html` required`} autocomplete="off" autocapitalize="none" spellcheck="false"${marks(view, key, hint && `${key}-hint`)} />
    ${hint && html`<p class="quiet" id="${key}-hint">${hint}</p>`}${renderProblems(view, key)}</div>`
}

/** Returns what somebody typed into a field of the rejected form. */
function typedIn({ rejected }: OwnerSettingsView, change: string, key: string): string | undefined {
  return rejected?.form.get('change') === change ? (rejected.form.get(key) ?? undefined) : undefined
}

/** The attributes that connect a field with its hint and its problems. */
function marks({ rejected }: OwnerSettingsView, key: string, hint?: string): Html | undefined {
  const isWrong = rejected?.problems.has(key) ?? false
  const described = [...(hint ? [hint] : []), ...(isWrong ? [`${key}-problem`] : [])].join(' ')
  if (described === '') return undefined
  return html`${isWrong && html` aria-invalid="true"`} aria-describedby="${described}"`
}

function renderProblems({ rejected }: OwnerSettingsView, key: string): Html | undefined {
  const sentences = rejected?.problems.get(key)
  return sentences && html`<p class="problem" id="${key}-problem">${sentences.join(' ')}</p>`
}
