// Signs tokens as GitHub Actions does for a repository's jobs, with its own keys at its own URL.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

/** A running issuer. */
export interface CiIssuer {
  jwksUrl: string
  /** Signs a token for a hub. @param audience the hub's base URL */
  sign(audience: string): Promise<string>
  close(): void
}

const WORKFLOW = 'stranger/prompts/.github/workflows/publish.yml@refs/heads/main'
const CLAIMS = {
  ...{ repository: 'stranger/prompts', repository_id: '1', repository_owner: 'stranger', repository_owner_id: '2' },
  ...{ workflow_ref: WORKFLOW, job_workflow_ref: WORKFLOW, event_name: 'push', ref: 'refs/heads/main' },
  ...{ sub: 'repo:stranger/prompts:ref:refs/heads/main', sha: 'a'.repeat(40), run_id: '1' },
}

/** Starts an issuer on this machine. */
export async function startCiIssuer(): Promise<CiIssuer> {
  const { publicKey, privateKey } = await generateKeyPair('RS256')
  const keys = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'key', use: 'sig' }] })
  const server = createServer((_, outgoing) => outgoing.setHeader('Content-Type', 'application/json').end(keys))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The issuer has no port.')
  return {
    jwksUrl: `http://127.0.0.1:${address.port}/keys`,
    sign: (audience) =>
      new SignJWT(CLAIMS)
        .setProtectedHeader({ alg: 'RS256', kid: 'key' })
        .setIssuer('https://token.actions.githubusercontent.com')
        .setAudience(audience)
        .setJti(randomUUID())
        .setIssuedAt()
        .setNotBefore('0s')
        .setExpirationTime('10m')
        .sign(privateKey),
    close: () => server.close(),
  }
}
