// Renders the account pages for visitors who are not signed in.
import { html, type Page } from './html.ts'
import { renderHidden, renderSnippet } from './page-parts.ts'

/** Renders the page for visitors who are not signed in. */
export function renderSignIn({ notice }: { notice: string | undefined }): Page {
  const main = html`
<div class="page-head">
  <h1>Your account</h1>
  ${notice && html`<p class="notice" role="status">${notice}</p>`}
  <p class="lead">Reading needs no account. Sign in to create tokens for publishing.</p>
  <p class="actions"><a class="button strong" href="/auth/sign-in?return_to=/settings">Sign in</a></p>
</div>`
  return { title: 'Your account', main }
}

/** Renders the page for choosing one of several providers. @param names each provider's kind and name */
export function renderProviders({
  names,
  returnTo,
}: {
  names: readonly (readonly [kind: string, name: string])[]
  returnTo: string
}): Page {
  const query = (kind: string) => new URLSearchParams({ provider: kind, return_to: returnTo }).toString()
  const main = html`
<div class="page-head">
  <h1>Sign in</h1>
  <p class="lead">Use the account with which your tokens and prompts were created: each provider’s accounts are separate.</p>
  <p class="actions">${names.map(([kind, name]) => html`<a class="button strong" href="/auth/sign-in?${query(kind)}">Sign in with ${name}</a> `)}</p>
</div>`
  return { title: 'Sign in', main }
}

/** Renders the page after signing out, for somebody whom the provider may still sign in without asking. */
export function renderSignedOut({ provider, url }: { provider: string; url: string }): Page {
  const main = html`
<div class="page-head">
  <h1>You are signed out</h1>
  <p class="lead">${provider} may still know you in this browser. On a computer that others use, sign out there too.</p>
  <p class="actions"><a class="button strong" href="${url}">Sign out of ${provider}</a> <a class="button" href="/settings">Your account</a></p>
</div>`
  return { title: 'You are signed out', main }
}

/** Renders the account page of a hub on which sign-in is disabled. */
export function renderSignInOff(): Page {
  const main = html`
<div class="page-head">
  <h1>Your account</h1>
  <p class="lead">Sign-in is disabled on this hub. Reading needs no account. The operator can create a token for publishing:</p>
</div>
${renderSnippet('token', 'On the server', 'npm run token -- acme')}
<p class="quiet">To enable sign-in, set SESSION_SECRET and the settings for GitHub or for an OpenID Connect provider: <a href="/docs/settings">Settings</a>.</p>`
  return { title: 'Your account', main }
}

/** Renders the account page for signed-out visitors in local mode, in which users sign in with a link that the hub printed. */
export function renderLinkNeeded({ notice }: { notice?: string | undefined } = {}): Page {
  const main = html`
<div class="page-head">
  <h1>Your account</h1>
  ${notice && html`<p class="notice" role="status">${notice}</p>`}
  <p class="lead">Reading needs no account. To sign in, open the link that <code>npm start</code> printed. It works
  only once; then <code>npm start</code> prints a new one.</p>
</div>
${renderSnippet('token', 'Or create a token on the server, without signing in', 'npm run token -- acme')}`
  return { title: 'Your account', main }
}

/** Renders the local sign-in form, which asks for a handle: anyone with the printed link can sign in with any username. */
export function renderLocalSignIn({ state, key }: { state: string; key: string }): Page {
  const main = html`
<div class="page-head">
  <h1>Sign in</h1>
  <p class="lead">Local mode: sign in with any username. Only people with your link can see this page.</p>
</div>
<form class="account-form" action="/auth/local" method="post">
  ${renderHidden('state', state)}${renderHidden('key', key)}
  <div><label for="handle">Username</label>
    <input id="handle" name="handle" required maxlength="39" pattern="[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*" autocomplete="username" autocapitalize="none" spellcheck="false" aria-describedby="handle-hint" />
    <p class="quiet" id="handle-hint">Lower-case letters, digits and single hyphens.</p></div>
  <div class="wide"><button class="strong" type="submit">Sign in</button></div>
</form>`
  return { title: 'Sign in', main }
}
