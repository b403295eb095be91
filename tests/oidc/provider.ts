// Starts a real OpenID Connect provider (npm's oidc-provider) on loopback, behind a front that can answer in its place.
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { type CryptoKey, decodeJwt, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { Provider } from 'oidc-provider'
import { listen } from '../listen.ts'

/** The hub as the provider knows it. */
export const CLIENT = { clientId: 'hub', clientSecret: 'a-secret-of-the-tests' }

/** Changes the provider's answer to a request. @returns undefined to leave it as it is */
type Tamper = (answer: Response, request: { url: URL; method: string }) => Promise<Response | undefined>

/** A running provider. */
export interface OpenIdProvider {
  issuer: string
  /** Signs in at the provider as a person does: every login is accepted, whatever the password. @returns the callback URL on the hub */
  signIn(address: URL, login: string): Promise<URL>
  /** From now on, changes answers to requests whose path ends like this; without a function, none. */
  tamper(ending: string, change?: Tamper): void
  /** Returns a change of the token endpoint's answer: an ID token with other claims or another key. */
  forgeIdToken(forge: (claims: JWTPayload, key: CryptoKey) => string | Promise<string>): Tamper
  /** The paths requested since the last call. */
  takeRequests(): string[]
  close(): Promise<void>
}

/** What the provider says about a person. */
export type ClaimsOf = (login: string) => Record<string, unknown>

const usualClaims: ClaimsOf = (login) => ({
  email: `${login}@acme.example`,
  email_verified: login !== 'mallory',
  name: `${login.charAt(0).toUpperCase()}${login.slice(1)} Example`,
})

/** Starts a provider. @param redirectUris where the hub receives answers @param port of the front; any by default */
export async function startOpenIdProvider(
  redirectUris: readonly string[],
  { claimsOf = usualClaims, port = 0 }: { claimsOf?: ClaimsOf; port?: number } = {},
): Promise<OpenIdProvider> {
  const tampers = new Map<string, Tamper>()
  let requests: string[] = []
  let inner = ''
  const front = createServer((incoming, outgoing) => {
    const send = async (answer: Response) => {
      outgoing.statusCode = answer.status
      for (const [name, value] of answer.headers)
        if (!/^(?:content-length|transfer-encoding|connection|content-encoding|set-cookie)$/.test(name))
          outgoing.setHeader(name, value)
      const cookies = answer.headers.getSetCookie()
      if (cookies.length > 0) outgoing.setHeader('set-cookie', cookies)
      outgoing.end(Buffer.from(await answer.arrayBuffer()))
    }
    // A browser that leaves ends its request, and the end of the tests ends the provider.
    pass(incoming)
      .then(send)
      .catch(() => outgoing.destroy())
  })
  const issuer = await listen(front, port)

  async function pass(incoming: IncomingMessage): Promise<Response> {
    const url = new URL(incoming.url ?? '/', issuer)
    const method = incoming.method ?? 'GET'
    requests.push(url.pathname)
    const headers = new Headers()
    for (const [name, value] of Object.entries(incoming.headers))
      if (value !== undefined && !/^(?:host|connection|content-length)$/.test(name)) headers.set(name, String(value))
    headers.set('x-forwarded-host', new URL(issuer).host)
    headers.set('x-forwarded-proto', 'http')
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const body = method === 'GET' || method === 'HEAD' ? undefined : Buffer.concat(chunks)
    const answer = await fetch(inner + url.pathname + url.search, { method, headers, body, redirect: 'manual' })
    const [, change] = [...tampers].find(([ending]) => url.pathname.endsWith(ending)) ?? []
    return (await change?.(answer.clone(), { url, method })) ?? answer
  }

  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const jwk = { ...(await exportJWK(privateKey)), kid: 'key-1', use: 'sig', alg: 'RS256' }
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.clientId,
        client_secret: CLIENT.clientSecret,
        redirect_uris: [...redirectUris],
        post_logout_redirect_uris: redirectUris.map((uri) => `${new URL(uri).origin}/settings?done=signed-out`),
      },
    ],
    jwks: { keys: [jwk] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    cookies: { keys: ['a key of the tests'] },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...claimsOf(id) }) }),
    // As MCP clients do it: they register themselves, and ask for JWTs that are made for one hub.
    features: {
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, audience) => ({
          scope: 'openid email offline_access',
          audience,
          accessTokenTTL: 3_600,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
        useGrantedResource: () => true,
      },
    },
    extraTokenClaims: (_, token) =>
      'accountId' in token && token.accountId !== undefined ? claimsOf(token.accountId) : undefined,
    ttl: {
      AccessToken: (_, { resourceServer }) => resourceServer?.accessTokenTTL ?? 60,
      AuthorizationCode: 60,
      IdToken: 60,
      Interaction: 60,
      Session: 60,
      Grant: 60,
    },
  })
  provider.proxy = true
  const behind = createServer(provider.callback() as RequestListener)
  inner = await listen(behind)

  return {
    issuer,
    async signIn(address, login) {
      const cookies = new Map<string, string>()
      const ask = async (url: URL, form?: Record<string, string>) => {
        const headers = { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }
        const body = form && new URLSearchParams(form)
        const answer = await fetch(url, {
          method: form ? 'POST' : 'GET',
          headers,
          redirect: 'manual',
          ...(body && { body }),
        })
        for (const cookie of answer.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
          cookies.set(name, value)
        }
        return answer
      }
      let url = address
      for (let step = 0; step < 12; step++) {
        const answer = await ask(url)
        const location = answer.headers.get('location')
        if (location !== null) url = new URL(location, url)
        else {
          const page = await answer.text()
          const [, prompt] = /name="prompt" value="(\w+)"/.exec(page) ?? []
          const [, action] = /action="([^"]+)"/.exec(page) ?? []
          if (!prompt || !action) throw new Error(`the provider shows no form: ${answer.status} ${page.slice(0, 500)}`)
          const sent = await ask(new URL(action, url), { prompt, login, password: 'any' })
          url = new URL(sent.headers.get('location') ?? '', url)
        }
        if (redirectUris.some((uri) => url.href.startsWith(`${uri}?`))) return url
      }
      throw new Error(`the provider does not return to the hub: ${url}`)
    },
    tamper(ending, change) {
      if (change) tampers.set(ending, change)
      else tampers.delete(ending)
    },
    forgeIdToken: (forge) => async (answer) => {
      const body = (await answer.json()) as { id_token: string }
      return Response.json({ ...body, id_token: await forge(decodeJwt(body.id_token), privateKey) })
    },
    takeRequests() {
      const taken = requests
      requests = []
      return taken
    },
    async close() {
      for (const server of [front, behind]) {
        server.closeAllConnections()
        await new Promise((done) => server.close(done))
      }
    },
  }
}

/** Signs an ID token as the provider does. */
export const signIdToken = (claims: JWTPayload, key: CryptoKey): Promise<string> =>
  new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'key-1' }).sign(key)
