// An OIDC issuer for tests. It has real keys, and issues tokens like those from GitHub Actions, either valid or invalid
// in any way.
import { createServer } from 'node:http'
import { exportJWK, exportPKCS8, generateKeyPair, importPKCS8, type JWTHeaderParameters, SignJWT } from 'jose'
import { listen } from '../listen.ts'

export const ISSUER = 'https://token.actions.githubusercontent.com'
export const AUDIENCE = 'https://hub.example'

/** The claims of a job in `octo/prompts`. @see https://docs.github.com/actions/reference/security/oidc */
export const CLAIMS = {
  sub: 'repo:octo/prompts:ref:refs/heads/main',
  repository: 'octo/prompts',
  repository_id: '1001',
  repository_owner: 'octo',
  repository_owner_id: '2002',
  workflow_ref: 'octo/prompts/.github/workflows/publish.yml@refs/heads/main',
  job_workflow_ref: 'octo/prompts/.github/workflows/publish.yml@refs/heads/main',
  event_name: 'push',
  ref: 'refs/heads/main',
  sha: 'a'.repeat(40),
  run_id: '30433642',
}

export type Issuer = Awaited<ReturnType<typeof startIssuer>>

let made = 0

export async function startIssuer() {
  const kid = 'key-1'
  const [ours, other] = await Promise.all([generateKeyPair('RS256', { extractable: true }), generateKeyPair('RS256')])
  // The key has no `alg`, so it does not rule out other algorithms by itself.
  const jwk = { ...(await exportJWK(ours.publicKey)), kid, use: 'sig' }
  let current = { status: 200, body: JSON.stringify({ keys: [jwk] }) }
  let fetches = 0
  const server = createServer((_, outgoing) => {
    fetches += 1
    outgoing.writeHead(current.status, { 'content-type': 'application/json' }).end(current.body)
  })
  const url = await listen(server)
  const payload = (claims: Readonly<Record<string, unknown>> = {}) => {
    const now = Math.floor(Date.now() / 1000)
    made += 1
    const usual = { iss: ISSUER, aud: AUDIENCE, iat: now, nbf: now, exp: now + 300, jti: `job-${made}`, ...CLAIMS }
    return Object.fromEntries(Object.entries({ ...usual, ...claims }).filter(([, value]) => value !== undefined))
  }
  return {
    jwksUrl: `${url}/jwks`,
    /** Returns the number of requests for the issuer's keys. */
    fetches: () => fetches,
    /** From now on, returns this response instead of the keys. */
    answer: (status: number, body: string) => {
      current = { status, body }
    },
    /** Signs a token. @param claims overrides for the default claims; undefined omits a claim */
    sign: (claims?: Readonly<Record<string, unknown>>, header?: Partial<JWTHeaderParameters>) =>
      new SignJWT(payload(claims)).setProtectedHeader({ alg: 'RS256', kid, ...header }).sign(ours.privateKey),
    /** Signs with an unknown key, but under the ID of a key that the issuer knows. */
    signWithAnother: () => new SignJWT(payload()).setProtectedHeader({ alg: 'RS256', kid }).sign(other.privateKey),
    /** Signs with the right key but another algorithm. */
    signBy: async (alg: 'PS256' | 'RS512') =>
      new SignJWT(payload())
        .setProtectedHeader({ alg, kid })
        .sign(await importPKCS8(await exportPKCS8(ours.privateKey), alg)),
    /** Signs with HMAC, using the public key as the secret. */
    signWithPublicKey: () =>
      new SignJWT(payload()).setProtectedHeader({ alg: 'HS256', kid }).sign(Buffer.from(JSON.stringify(jwk))),
    close: () => new Promise<void>((done) => server.close(() => done())),
  }
}
