// Renders the account pages: profile, owners, tokens and forms. They work without JavaScript.

import type { ListedToken, Session } from '../../src/domain/access/account.ts'
import { hasExpired, TOKEN_DAYS } from '../../src/domain/access/token-record.ts'
import { LIMITS } from '../../src/domain/limits.ts'
import { formatDay } from '../../src/domain/text/days.ts'
import { DEFAULT_PERMISSIONS, PERMISSIONS, type Permission } from '../../src/domain/values/permissions.ts'
import { renderCopyButton } from '../../src/site/copy-button.ts'
import { type Html, html, type Page, trustedHtml } from './html.ts'
import { renderIdentity } from './identity-facts.ts'
import { type OwnPrompts, renderOwnPrompts } from './own-prompts.ts'
import { renderHidden, renderSelect, renderSnippet } from './page-parts.ts'
import { csrfToken, type Purpose } from './session.ts'

/** The values to show when the create form is redisplayed. */
interface TokenForm {
  name: string
  owner: string
  repository: string
  permissions: readonly string[]
  days: string
}

/** Everything that the account page shows. */
export interface AccountView {
  session: Session
  /** The owners that the user may publish to; the user's own handle comes first if it can be an owner. */
  owners: readonly string[]
  /** Their prompts. */
  prompts: readonly OwnPrompts[]
  tokens: readonly ListedToken[]
  /** Tokens that this hub's operators created for these owners. */
  operatorTokens: readonly ListedToken[]
  now: Date
  /** A message about the action that was just completed. */
  notice?: string | undefined
  /** The errors in the submitted form, and the submitted values. */
  refused?: { problems: readonly string[]; form: TokenForm }
  /** The ID of the next form, so that submitting it twice creates only one token. */
  formId: string
}

/** Renders the account page of the signed-in user. */
export function renderAccount(view: AccountView): Page {
  const { session, owners, notice } = view
  const { login } = session.person
  const main = html`
<div class="page-head">
  <h1>Your account</h1>
  <p class="lead">Signed in as <strong>${login}</strong></p>
  ${notice && html`<p class="notice" role="status">${notice}</p>`}
</div>
<div class="columns">
  <div class="column">
    ${renderOwnPrompts(view.prompts)}
    ${renderForm(view)}
    ${renderTokens(view)}
    ${renderOperatorTokens(view)}
  </div>
  <aside class="column">
    <section aria-labelledby="owners-title">
      <h2 id="owners-title">You can publish to</h2>
      ${
        owners.length > 0
          ? html`<ul class="owners">${owners.map((owner) => (owner === login ? html`<li>${owner} (your username)</li>` : html`<li><a href="/${owner}">${owner}</a></li>`))}</ul>`
          : html`<p>Your username is reserved by this site, so it cannot own prompts.</p>`
      }
      <p class="quiet">Your public page is created when you publish your first prompt. You can also publish to owners that list you in their
      <code>members</code>. The hub checks this on every publish.</p>
      <p class="quiet">A GitHub workflow needs no token: see <a href="/docs/trusted-publishing">Trusted publishing</a>.</p>
    </section>
    <section aria-labelledby="session-title">
      <h2 id="session-title">Session</h2>
      <dl class="fact-list">
        ${renderIdentity(session)}
        <div><dt>Started</dt><dd>${renderDay(session.created_at)}</dd></div>
        <div><dt>Expires</dt><dd>${renderDay(session.expires_at)}</dd></div>
      </dl>
      <div class="actions">
        ${renderButton(session, { purpose: 'sign-out', action: '/auth/sign-out', label: html`Sign out` })}
        ${renderButton(session, { purpose: 'sign-out-everywhere', action: '/auth/sign-out-everywhere', label: html`Sign out everywhere` })}
      </div>
    </section>
  </aside>
</div>`
  return { title: 'Your account', main }
}

function renderForm({ session, owners, refused, formId }: AccountView): Html | undefined {
  if (owners.length === 0) return undefined
  const form = refused?.form ?? {
    name: '',
    owner: owners[0] ?? '',
    repository: '',
    permissions: DEFAULT_PERMISSIONS,
    days: String(TOKEN_DAYS.usual),
  }
  return html`
<section aria-labelledby="create-title">
  <h2 id="create-title">Create a token</h2>
  ${refused && html`<div class="notice" role="alert"><ul class="plain">${refused.problems.map((problem) => html`<li>${problem}</li>`)}</ul></div>`}
  <form class="account-form" action="/settings/tokens" method="post">
    ${renderHidden('csrf', csrfToken(session, 'create-token'))}${renderHidden('form', formId)}
    <div class="wide"><label for="name">Name</label>
      <input id="name" name="name" required maxlength="64" value="${form.name}" autocomplete="off" aria-describedby="name-hint" />
      <p class="quiet" id="name-hint">A name that helps you recognise the token, such as “laptop”.</p></div>
    <div><label for="owner">Owner</label>
      ${renderSelect('owner', owners, { selected: form.owner })}</div>
    <div><label for="repository">Repository</label>
      <input id="repository" name="repository" maxlength="64" value="${form.repository}" autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="repository-hint" />
      <p class="quiet" id="repository-hint">Leave empty for all repositories.</p></div>
    <fieldset class="wide"><legend>Permissions</legend>
      ${PERMISSIONS.map((permission) => html`<div><label><input type="checkbox" name="permissions" value="${permission}"${form.permissions.includes(permission) ? html` checked` : ''} /> <code>${permission}</code></label> <span class="quiet">${WHAT[permission]}</span></div>`)}
    </fieldset>
    <div><label for="days">Expires after (days)</label>
      <input id="days" name="days" type="number" required min="${TOKEN_DAYS.least}" max="${TOKEN_DAYS.most}" value="${form.days}" /></div>
    <div class="wide"><button class="strong" type="submit">Create token</button></div>
  </form>
</section>`
}

const WHAT: Readonly<Record<Permission, string>> = {
  read: 'Read this hub, if only its readers may. Every other permission includes this.',
  publish: 'Publish new versions.',
  label: 'Point labels at versions, except labels that the owner protects.',
  maintain: 'Yank versions, and change the status, readme, title and all labels.',
}

function renderTokens({ session, tokens, now }: AccountView): Html {
  const renderRevoke = (token: ListedToken) =>
    renderButton(session, {
      purpose: 'revoke-token',
      action: '/settings/tokens/revoke',
      label: html`Revoke<span class="visually-hidden"> ${token.name}, last 4 characters ${token.last_four}</span>`,
      fields: { id: token.id },
    })
  return html`
<section id="tokens" aria-labelledby="tokens-title">
  <div class="bar"><h2 id="tokens-title">Tokens</h2><p class="quiet">up to ${LIMITS.tokensPerPerson}</p></div>
  ${
    tokens.length === 0
      ? html`<p class="quiet">You have no tokens.</p>`
      : html`${renderTable('Tokens', tokens, now, renderRevoke)}
  <p class="quiet tokens-note">“Last used” is updated at most once an hour. Revoking a token takes effect immediately and cannot be undone.</p>`
  }
</section>`
}

/** Renders the tokens that only an operator can revoke, without a Revoke button. Returns undefined if there are none. */
function renderOperatorTokens({ operatorTokens, now }: AccountView): Html | undefined {
  if (operatorTokens.length === 0) return undefined
  return html`
<section aria-labelledby="operator-tokens-title">
  <h2 id="operator-tokens-title">Operator tokens</h2>
  ${renderTable('Operator tokens', operatorTokens, now)}
  <p class="quiet tokens-note">The operator of this hub created these tokens for your owners, and can revoke them on the server: <code>npm run token -- --list</code>.</p>
</section>`
}

/** Renders a table of tokens. @param renderRevoke renders the Revoke button for an unexpired token; omitted if the table has no buttons */
function renderTable(
  label: string,
  tokens: readonly ListedToken[],
  now: Date,
  renderRevoke?: (token: ListedToken) => Html,
): Html {
  const rows = tokens.map((token) => {
    const isExpired = hasExpired(token, now)
    return html`
<tr${isExpired && html` class="ended"`}>
  <th scope="row">${token.name}${isExpired && html` <span class="mark">expired</span>`}</th>
  <td data-label="Scope"><code>${token.scope}</code></td>
  <td data-label="Permissions">${token.permissions.join(', ')}</td>
  <td data-label="Last 4 characters"><code>…${token.last_four}</code></td>
  <td data-label="Created">${renderDay(token.created_at)}</td>
  <td data-label="Expires">${renderDay(token.expires_at)}</td>
  <td data-label="Last used">${token.last_used_at === null ? 'never' : renderDay(token.last_used_at)}</td>
  ${renderRevoke && html`<td>${!isExpired && renderRevoke(token)}</td>`}
</tr>`
  })
  const headings = ['Name', 'Scope', 'Permissions', 'Last 4 characters', 'Created', 'Expires', 'Last used']
  return html`<div class="scrolls" tabindex="0" role="group" aria-label="${label}"><table class="tokens">
  <thead><tr>${headings.map((heading) => html`<th scope="col">${heading}</th>`)}${renderRevoke && html`<th scope="col"><span class="visually-hidden">Revoke</span></th>`}</tr></thead>
  <tbody>${rows}</tbody></table></div>`
}

/** Renders the only page that ever shows the token, with commands that use it. */
export function renderNewToken({
  token,
  scope,
  days,
  baseUrl,
}: {
  token: string
  scope: string
  days: number
  baseUrl: string
}): Page {
  const target = scope.replace(/\*$/, 'my-prompt')
  const curl = `curl --fail-with-body '${baseUrl}/api/v1/repos/${target}/versions' \\
  --header "Authorization: Bearer $HUB_TOKEN" \\
  --header 'Content-Type: application/json' \\
  --data '{"content":"Say hello to {{name}}.","changelog":"First version"}'`
  const main = html`
<div class="page-head">
  <h1>Your new token</h1>
  <p class="lead">Copy it now: it is shown only once. It can publish to <code>${scope}</code> for ${days} ${days === 1 ? 'day' : 'days'}.</p>
</div>
<section aria-labelledby="token-title">
  <div class="bar"><h2 id="token-title">Token</h2>${trustedHtml(renderCopyButton('new-token', 'token'))}</div>
  <pre tabindex="0"><code id="new-token">${token}</code></pre>
  <p class="quiet">Store it in a password manager or as a CI secret. The hub rejects prompts that contain a token.</p>
</section>
<section aria-labelledby="use-title">
  <h2 id="use-title">Use it</h2>
  ${renderSnippet('set', 'In your shell', `export HUB_TOKEN=${token}`)}
  ${renderSnippet('curl', 'curl', curl)}
  ${renderSnippet('hubcli', 'hubcli', `hubcli push ${target} PROMPT.md "First version" minor`)}
</section>
<p class="actions"><a class="button" href="/settings#tokens">Back to your account</a></p>`
  return { title: 'Your new token', main }
}

/** Renders an error page. */
export function renderError({ status, code, message }: { status: number; code: string; message: string }): Page {
  const main = html`
<div class="page-head">
  <p class="full-name">${status} ${code}</p>
  <h1>Something went wrong</h1>
  <p class="lead">${message}</p>
  <p class="actions"><a class="button" href="/settings">Your account</a></p>
</div>`
  return { title: 'Something went wrong', main }
}

interface Button {
  purpose: Purpose
  action: string
  label: Html
  fields?: Readonly<Record<string, string>>
}

function renderButton(session: Session, { purpose, action, label, fields = {} }: Button): Html {
  return html`<form action="${action}" method="post">${renderHidden('csrf', csrfToken(session, purpose))}${Object.entries(
    fields,
  ).map(([name, value]) => renderHidden(name, value))}<button type="submit">${label}</button></form>`
}

function renderDay(moment: string): Html {
  return html`<time datetime="${moment}">${formatDay(moment)}</time>`
}
