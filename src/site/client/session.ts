// Asks who is signed in, only if a cookie says that somebody is, and shows it in the header. Pages are the same for everybody, so a script has to ask.
import { hintsAtSession, SESSION_ADDRESS, type ShownSession } from '../../domain/access/shown-session.ts'

const asked = hintsAtSession(document.cookie) ? ask() : Promise.resolve(undefined)

/** Returns the signed-in user, or undefined; a page asks at most once. */
export function findSession(): Promise<ShownSession | undefined> {
  return asked
}

async function ask(): Promise<ShownSession | undefined> {
  try {
    const answer = await fetch(SESSION_ADDRESS)
    return answer.ok ? ((await answer.json()).data ?? undefined) : undefined
  } catch {
    // Without an answer, the page stays as it is for everybody.
    return undefined
  }
}

const account = document.querySelector<HTMLElement>('[data-account]')
if (account && hintsAtSession(document.cookie)) account.textContent = 'Account'
asked
  .then(async (session) => {
    if (!account) return
    if (session) (await import('./account-menu.ts')).showAccountMenu(account, session)
    else account.textContent = 'Sign in'
  })
  .catch(reportError)
