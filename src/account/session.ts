// Handles session cookies, the signed sign-in state and CSRF protection.
import { createHmac, hash, randomInt, timingSafeEqual } from 'node:crypto'
import * as z from 'zod'
import { SESSION_DAYS, type Session } from '../domain/access/account.ts'
import { HINT_COOKIE } from '../domain/access/shown-session.ts'
import { HubError } from '../domain/api/errors.ts'

/** Maximum duration of a sign-in. */
const SIGN_IN_SECONDS = 600
/** Each sign-in has a cookie of its own, so that one tab does not end that of another. Of more, the oldest ends. */
const SIGN_IN_COOKIES = ['oauth', 'oauth-2', 'oauth-3', 'oauth-4']

/** The data that a browser stores about a sign-in in progress. */
const SignInNote = z.object({
  /** Where the browser signs in: an answer of another provider does not count. */
  provider: z.enum(['github', 'oidc', 'local', 'invited']),
  state: z.string().min(32),
  nonce: z.string().min(32),
  verifier: z.string().min(43),
  return_to: z.string(),
  expires_at: z.int(),
})
export type SignInNote = z.infer<typeof SignInNote>

/** Reads and writes a hub's cookies. */
export type Cookies = ReturnType<typeof makeCookies>

/**
 * Creates the functions that read and write a hub's cookies.
 *
 * @param baseUrl if it uses https, cookie names start with `__Host-`, so that no other host or path can overwrite them (RFC 6265bis section 4.1.3)
 * @param secret signs the sign-in cookie
 */
export function makeCookies(baseUrl: string, secret: string) {
  const isSecure = baseUrl.startsWith('https:')
  const nameOf = (bare: string) => (isSecure ? `__Host-${bare}` : bare)
  const write = (bare: string, value: string, maxAgeSeconds: number, isReadable = false) =>
    `${nameOf(bare)}=${value}; Path=/; ${isReadable ? '' : 'HttpOnly; '}SameSite=Lax; Max-Age=${maxAgeSeconds}${isSecure ? '; Secure' : ''}`
  const sign = (text: string) => createHmac('sha256', secret).update(`sign-in\0${text}`).digest('base64url')
  const readNote = (request: Request, bare: string, now: Date): SignInNote | undefined => {
    const value = readCookie(request, nameOf(bare), /^[\w-]{1,2000}\.[\w-]{43}$/)
    const [payload = '', mac = ''] = value?.split('.') ?? []
    if (value === undefined || !isEqual(mac, sign(payload))) return undefined
    const note = SignInNote.safeParse(JSON.parse(Buffer.from(payload, 'base64url').toString()))
    return note.success && note.data.expires_at > now.getTime() ? note.data : undefined
  }
  return {
    readSession: (request: Request) => readCookie(request, nameOf('session'), /^[\w-]{43}$/),
    /** The session's cookie, and the one that tells a page's script to ask who is signed in. */
    setSession: (value: string) => [
      write('session', value, SESSION_DAYS * 86_400),
      write(HINT_COOKIE, '1', SESSION_DAYS * 86_400, true),
    ],
    clearSession: () => [write('session', '', 0), write(HINT_COOKIE, '', 0, true)],
    /** Lists the sign-ins in progress, the newest first, without those whose cookie is forged or expired. */
    readSignIns: (request: Request, now: Date): SignInNote[] =>
      SIGN_IN_COOKIES.flatMap((bare) => readNote(request, bare, now) ?? []).sort((a, b) => b.expires_at - a.expires_at),
    setSignIn(request: Request, note: Omit<SignInNote, 'expires_at'>, now: Date): string {
      const whole: SignInNote = { ...note, expires_at: now.getTime() + SIGN_IN_SECONDS * 1000 }
      const payload = Buffer.from(JSON.stringify(whole)).toString('base64url')
      const slots = SIGN_IN_COOKIES.map((bare) => ({
        bare,
        endsMs: readNote(request, bare, now)?.expires_at ?? 0,
      })).sort((a, b) => a.endsMs - b.endsMs)
      // Tabs that start at the same moment know nothing of each other.
      const free = slots.filter(({ endsMs }) => endsMs === 0)
      const { bare } = slots[free.length > 1 ? randomInt(free.length) : 0]!
      return write(bare, `${payload}.${sign(payload)}`, SIGN_IN_SECONDS)
    },
    /** Ends the sign-in with this state. */
    clearSignIn: (request: Request, state: string | undefined, now: Date) =>
      SIGN_IN_COOKIES.filter((bare) => readNote(request, bare, now)?.state === state).map((bare) => write(bare, '', 0)),
  }
}

/** Returns a cookie's value. A cookie that appears twice counts as missing: someone else set one of them, and there is no way to tell which. */
function readCookie(request: Request, name: string, form: RegExp): string | undefined {
  const values = (request.headers.get('Cookie') ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
  const [value] = values
  return values.length === 1 && value !== undefined && form.test(value) ? value : undefined
}

/** The purpose of a form. A CSRF token for one purpose is invalid for any other. */
export type Purpose = 'edit' | 'create-token' | 'revoke-token' | 'add-device' | 'sign-out' | 'sign-out-everywhere'

/** Returns this session's CSRF token for a purpose. */
export function csrfToken({ csrf_secret }: Session, purpose: Purpose): string {
  return createHmac('sha256', csrf_secret).update(purpose).digest('base64url')
}

/** Returns whether a form comes from a page in this session. */
export function isOfSession(session: Session, purpose: Purpose, given: string | null): boolean {
  return given !== null && isEqual(given, csrfToken(session, purpose))
}

/** @throws HubError `forbidden` if another site's page sent the request. Browsers set both headers, and pages cannot change them. */
export function requireSameOrigin(request: Request, baseUrl: string): void {
  const site = request.headers.get('Sec-Fetch-Site')
  const isOurs = site === null ? request.headers.get('Origin') === baseUrl : site === 'same-origin'
  if (!isOurs)
    throw new HubError('forbidden', 'This request came from another site. Open your account here and try again.')
}

/** Returns what the log calls a session: a part of the digest of its secret, with which nobody can use it. */
export const nameSession = (secret: string): string => hash('sha256', secret).slice(0, 12)

/** Compares secrets in constant time. */
export function isEqual(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
