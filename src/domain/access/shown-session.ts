// Defines what a page's script learns about the signed-in user, and the cookie that tells it whether to ask.

/** The URL at which a page's script asks who is signed in. */
export const SESSION_ADDRESS = '/auth/session'

/** The header in which a page sends the CSRF token of its session to the API. */
export const CSRF_HEADER = 'X-CSRF-Token'

/** The name of the cookie that a page's script can read, without the prefix `__Host-` that it has on https. It says only that somebody is signed in; the session itself is in a cookie that scripts cannot read. */
export const HINT_COOKIE = 'signed-in'

/** What a page shows of the signed-in user. The server judges every request again. */
export interface ShownSession {
  login: string
  /** The owners that the user may publish to, according to the latest build. */
  owners: readonly string[]
  /** The CSRF token for the forms that manage prompts, and for writes to the API. */
  csrf: string
  /** The CSRF token for signing out. */
  sign_out_csrf: string
}

/** Returns whether the browser's cookies say that somebody is signed in. @param cookies as in `document.cookie` */
export function hintsAtSession(cookies: string): boolean {
  return cookies.split(';').some((pair) => new RegExp(`^\\s*(?:__Host-)?${HINT_COOKIE}=1$`).test(pair))
}
