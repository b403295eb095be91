// Renders on the account page how its user signed in.
import type { Session } from '../../src/domain/access/account.ts'
import { signInKindOf } from '../../src/domain/access/sign-in-kind.ts'
import { type Html, html } from './html.ts'

/** Renders how the person signed in, and what the hub knows from there. */
export function renderIdentity({ person }: Session): Html {
  const { user_id, oidc } = person
  if (!oidc)
    return html`<div><dt>${signInKindOf(person) === 'local' ? 'Local sign-in' : 'GitHub account'}</dt><dd>${user_id}</dd></div>`
  const { issuer, subject, email, name } = oidc
  return html`<div><dt>Account at</dt><dd>${new URL(issuer).host}</dd></div>
        ${name && html`<div><dt>Name</dt><dd>${name}</dd></div>`}
        <div><dt>Email</dt><dd>${email ?? 'not verified'}</dd></div>
        <div><dt>Subject</dt><dd><code>${subject}</code></dd></div>`
}
