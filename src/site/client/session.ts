// Asks who is signed in, only if a cookie says that somebody is, and shows it in the header. Pages are the same for everybody, so a script has to ask.
import { hintsAtSession, SESSION_ADDRESS, type ShownSession } from '../../domain/access/shown-session.ts'

const asked = hintsAtSession(document.cookie) ? askSession() : Promise.resolve(undefined)

/** Returns the signed-in user, or undefined; a page asks at most once. Without an answer, it stays as it is for everybody. */
export async function findSession(): Promise<ShownSession | undefined> {
  return (await asked) ?? undefined
}

/** Asks who is signed in now. @returns null if nobody is, and undefined if the hub did not answer */
export async function askSession(): Promise<ShownSession | null | undefined> {
  try {
    const answer = await fetch(SESSION_ADDRESS)
    if (answer.ok) return (await answer.json()).data
    return answer.status === 401 ? null : undefined
  } catch {
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
