// Runs the account pages in this process, with the real handlers, in-memory state, and a cookie jar.

import { handleAccount } from '../../src/account/handle-account.ts'
import { openLocalKeys } from '../../src/account/local-keys.ts'
import type { AccountDeps } from '../../src/account/visit.ts'
import { UNLIMITED } from '../../src/state/rate-limiter.ts'
import { openPeople } from '../../src/state/sessions.ts'
import { openTokens } from '../../src/state/tokens.ts'
import { memoryState } from './memory-state.ts'
import { showView } from './page-code.ts'

export const BASE_URL = 'https://hub.example'

/** Options for sending a request. */
export interface Sending {
  /** Fields to send as a POST from a page of the hub, unless `headers` overrides that; a string is sent as it is. */
  form?: Readonly<Record<string, string>> | string
  /** Additional headers; null omits a header that is otherwise sent. */
  headers?: Readonly<Record<string, string | null>>
  method?: string
}

export type Account = ReturnType<typeof openAccount>
export type Jar = ReturnType<Account['openJar']>

/**
 * Opens the account pages. @param given overrides for the defaults: local sign-in under every username, and no
 * memberships
 */
export function openAccount(given: Partial<AccountDeps> = {}) {
  const state = memoryState(undefined, () => Date.now())
  const keys = openLocalKeys(() => {})
  const dependencies: AccountDeps = {
    baseUrl: BASE_URL,
    accounts: { ...openPeople(state), ...openTokens(state) },
    signIn: { kind: 'local', keys },
    secret: 'a secret of the tests, long enough',
    admits: async () => true,
    ownersOf: async ({ login }) => [login],
    promptsOf: async () => [],
    show: showView,
    limiter: UNLIMITED,
    clientAddress: '192.0.2.1',
    ...given,
  }
  /** Opens a cookie jar that handles cookies as a browser does. */
  const openJar = () => {
    /** Cookies, keyed by name; a test may change them. */
    const cookies = new Map<string, string>()
    return {
      cookies,
      async ask(path: string, { form, headers = {}, method = form ? 'POST' : 'GET' }: Sending = {}) {
        const all = new Headers({ Accept: 'text/html' })
        if (cookies.size > 0) all.set('Cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '))
        if (form) {
          all.set('Origin', new URL(dependencies.baseUrl).origin)
          all.set('Content-Type', 'application/x-www-form-urlencoded')
        }
        for (const [name, value] of Object.entries(headers)) {
          if (value === null) all.delete(name)
          else all.set(name, value)
        }
        const body = typeof form === 'object' ? String(new URLSearchParams(form)) : (form ?? null)
        const request = new Request(`${dependencies.baseUrl}${path}`, { method, headers: all, body })
        const answer = await handleAccount(request, () => dependencies)
        for (const cookie of answer.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
          if (/Max-Age=0(?:;|$)/.test(cookie)) cookies.delete(name)
          else cookies.set(name, value)
        }
        return { status: answer.status, headers: answer.headers, text: await answer.text() }
      },
    }
  }
  let queue: Promise<unknown> = Promise.resolve()
  return {
    dependencies,
    state,
    openJar,
    /** Returns the path of the current sign-in link. */
    signInPath: () => `/auth/local?key=${keys.current()}`,
    /** Returns a jar with a signed-in user. */
    signIn(handle: string) {
      const jar = openJar()
      // Users sign in one at a time, because the current link works only once.
      const turn = queue.then(async () => {
        const { text } = await jar.ask(`/auth/local?key=${keys.current()}`)
        const [state, key] = [fieldOf(text, '/auth/local', 'state'), fieldOf(text, '/auth/local', 'key')]
        await jar.ask('/auth/local', { form: { state, key, handle } })
        return jar
      })
      queue = turn
      return turn
    },
  }
}

/** Returns the value of a hidden field in the first form with the given action. */
export function fieldOf(page: string, action: string, field: string): string {
  const form = page.slice(page.indexOf(`action="${action}"`))
  return new RegExp(`name="${field}" value="([^"]*)"`).exec(form)?.[1] ?? ''
}

/** Creates a token through the page's own form. @returns the response */
export async function sendTokenForm(jar: Jar, over: Readonly<Record<string, string>> = {}): ReturnType<Jar['ask']> {
  const page = (await jar.ask('/settings/tokens')).text
  const [csrf, form] = [fieldOf(page, '/settings/tokens', 'csrf'), fieldOf(page, '/settings/tokens', 'form')]
  return jar.ask('/settings/tokens', {
    form: { csrf, form, name: 'laptop', owner: 'alice', repository: '', days: '90', ...over },
  })
}

/** Returns the token that a page shows, or an empty string. */
export const tokenOn = (page: string): string => /hub_[0-9A-Za-z]{38}/.exec(page)?.[0] ?? ''

/** Returns the name and value of the cookie of the sign-in that a browser has begun. */
export const signInCookie = ({ cookies }: Jar): [name: string, value: string] =>
  [...cookies].find(([name]) => name.includes('oauth')) ?? ['', '']
