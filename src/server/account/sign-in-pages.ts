// Owns the pages for people who are not signed in: how to sign in on this hub, or that nobody can.
import { html, type Page } from './html.ts'
import { drawHidden, drawSnippet } from './page-parts.ts'

/** The page for whoever is not signed in. */
export function drawSignIn({ notice }: { notice: string | undefined }): Page {
  const main = html`
<div class="page-head">
  <h1>Your account</h1>
  ${notice && html`<p class="notice" role="status">${notice}</p>`}
  <p class="lead">Reading needs no account. Sign in to make tokens for publishing.</p>
  <p class="actions"><a class="button strong" href="/auth/sign-in?return_to=/settings">Sign in</a></p>
</div>`
  return { title: 'Your account', main }
}

/** The page of a hub on which nobody can sign in. */
export function drawSignInOff(): Page {
  const main = html`
<div class="page-head">
  <h1>Your account</h1>
  <p class="lead">Sign-in is off on this hub. Reading needs no account; a token for publishing is made by whoever runs the hub:</p>
</div>
${drawSnippet('token', 'On the machine of the hub', 'npm run token -- acme')}
<p class="quiet">To let people sign in, set GITHUB_CLIENT_ID, GITHUB_CLIENT_SECRET and SESSION_SECRET.</p>`
  return { title: 'Your account', main }
}

/** The page for whoever is not signed in on a hub in local mode, where people sign in by a link that the hub printed. */
export function drawLinkNeeded({ notice }: { notice?: string | undefined } = {}): Page {
  const main = html`
<div class="page-head">
  <h1>Your account</h1>
  ${notice && html`<p class="notice" role="status">${notice}</p>`}
  <p class="lead">Reading needs no account. To sign in, open the link that <code>npm start</code> printed where this hub runs: it is good
  once, and the next one is printed as soon as it is used.</p>
</div>
${drawSnippet('token', 'Or make a token without signing in, on the machine of the hub', 'npm run token -- acme')}`
  return { title: 'Your account', main }
}

/** The form of a local sign-in, which asks for a handle: whoever has the printed link may sign in as anybody. */
export function drawLocalSignIn({ state, key }: { state: string; key: string }): Page {
  const main = html`
<div class="page-head">
  <h1>Sign in on this machine</h1>
  <p class="lead">This hub runs for you alone, so you may be anybody: choose a handle. Nobody without your link sees this page.</p>
</div>
<form class="account-form" action="/auth/local" method="post">
  ${drawHidden('state', state)}${drawHidden('key', key)}
  <div><label for="handle">Handle</label>
    <input id="handle" name="handle" required maxlength="39" pattern="[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*" autocomplete="username" autocapitalize="none" spellcheck="false" aria-describedby="handle-hint" />
    <p class="quiet" id="handle-hint">Letters, digits and single hyphens.</p></div>
  <div class="wide"><button class="strong" type="submit">Sign in</button></div>
</form>`
  return { title: 'Sign in', main }
}
