// A Sigstore instance on loopback, made of @sigstore/mock: it issues certificates, logs signatures and issues timestamps. Attestations are signed with Sigstore's own client.
import { createHash, generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import {
  fulcioHandler,
  initializeCA,
  initializeCTLog,
  initializeTLog,
  initializeTSA,
  rekorHandler,
  tsaHandler,
} from '@sigstore/mock'
import { DSSEBundleBuilder, FulcioSigner, RekorWitness, TSAWitness } from '@sigstore/sign'
import { UnsecuredJWT } from 'jose'
import type { Subject } from '../../src/domain/publishing/attested.ts'
import { listen } from '../listen.ts'
import { CLAIMS, ISSUER } from '../oidc/issuer.ts'

export const PREDICATE = 'https://slsa.dev/provenance/v1'
/** The number below 1.3.6.1.4.1.57264.1 of the extension with the environment, which the mock does not write. */
const ENVIRONMENT = '1.3.6.1.4.1.57264.1.23'

/** What to sign. */
export interface ToSign {
  /** Each subject. */
  about: readonly Subject[]
  /** Overrides for the claims of the job; undefined omits one. */
  claims?: Readonly<Record<string, string | undefined>>
  /** The whole statement, instead of one about the subjects. */
  statement?: unknown
  payloadType?: string
}

export type SigstoreServices = Awaited<ReturnType<typeof startSigstore>>

interface Options {
  name?: string
  /** The time at which certificates begin, signatures are logged, and timestamps are issued; by default, now. */
  clocks?: { certificates?: Date; witnesses?: Date }
  /** What witnesses a signature: a log, as in the public instance, or a timestamp, as in GitHub's for private repositories. */
  witness?: 'log' | 'timestamp' | 'none'
}

interface Proposal {
  spec: { proposedContent: { envelope: string; verifiers: string[] } }
}

/** Returns what Rekor logs of a proposed entry, which the mock logs as it is. https://github.com/sigstore/rekor/blob/main/pkg/types/dsse/v0.0.1/dsse_v0_0_1_schema.json */
function canonicalEntry(proposal: object): object {
  const { envelope, verifiers } = (proposal as Proposal).spec.proposedContent
  const { payload, signatures } = JSON.parse(envelope) as { payload: string; signatures: { sig: string }[] }
  const digest = (bytes: string | Buffer) => ({
    algorithm: 'sha256',
    value: createHash('sha256').update(bytes).digest('hex'),
  })
  return {
    apiVersion: '0.0.1',
    kind: 'dsse',
    spec: {
      envelopeHash: digest(envelope),
      payloadHash: digest(Buffer.from(payload, 'base64')),
      signatures: signatures.map(({ sig }, index) => ({ signature: sig, verifier: verifiers[index] })),
    },
  }
}

/** Starts an instance with keys of its own. */
export async function startSigstore({ name = 'test', clocks = {}, witness = 'log' }: Options = {}) {
  const keys = () => generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const hasLogs = witness !== 'timestamp'
  const ctLog = await initializeCTLog(keys())
  const ca = await initializeCA(
    generateKeyPairSync('ec', { namedCurve: 'secp384r1' }),
    hasLogs ? ctLog : undefined,
    clocks.certificates,
  )
  const log = await initializeTLog('https://rekor.example', keys(), clocks.witnesses)
  // A whole second, as Sigstore's own authorities write: DER drops zeros at the end of a fraction, and Sigstore's client
  // reads three digits or none. A minute from now, because a certificate is valid for ten minutes from its request.
  const witnessed = new Date(Math.ceil((clocks.witnesses?.getTime() ?? Date.now() + 60_000) / 1_000) * 1_000)
  const tsa = await initializeTSA(keys(), witnessed)
  let environment: string | undefined
  const withEnvironment: typeof ca = {
    rootCertificate: ca.rootCertificate,
    issueCertificate: (options) =>
      ca.issueCertificate({
        ...options,
        extensions: [
          ...(options.extensions ?? []),
          ...(environment === undefined ? [] : [{ oid: ENVIRONMENT, value: environment }]),
        ],
      }),
  }
  const asRekor = { ...log, log: (entry: object) => log.log(canonicalEntry(entry)) }
  const handlers = [fulcioHandler(withEnvironment), rekorHandler(asRekor as typeof log), tsaHandler(tsa)]
  // Sigstore's client keeps connections. One that ended just when it was used again would fail the request.
  const server = createServer({ keepAliveTimeout: 0 }, (incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk) => chunks.push(chunk))
    incoming.on('end', async () => {
      const handler = handlers.find(({ path }) => path === incoming.url)
      const answer = await handler?.fn(Buffer.concat(chunks).toString())
      outgoing.writeHead(answer?.statusCode ?? 404, { 'content-type': answer?.contentType ?? 'text/plain' })
      outgoing.end(answer?.response)
    })
  })
  const url = await listen(server)
  const base64 = (bytes: ArrayBufferView) =>
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
  // The certificates of the mock begin when it starts, so the root is valid long before and after.
  const validFor = { start: '2020-01-01T00:00:00Z' }
  const authority = (...certificates: ArrayBufferView[]) => ({
    subject: { organization: 'sigstore.mock', commonName: 'sigstore' },
    uri: url,
    certChain: { certificates: certificates.map((one) => ({ rawBytes: base64(one) })) },
    validFor,
  })
  const logged = (publicKey: Buffer) => ({
    baseUrl: 'https://rekor.example',
    hashAlgorithm: 'SHA2_256',
    publicKey: { rawBytes: publicKey.toString('base64'), keyDetails: 'PKIX_ECDSA_P256_SHA_256', validFor },
    logId: { keyId: createHash('sha256').update(publicKey).digest('base64') },
  })
  return {
    /** The instance's root, as `gh attestation trusted-root` would print it. */
    root: {
      name,
      source: null,
      root: {
        mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
        tlogs: hasLogs ? [logged(log.publicKey)] : [],
        certificateAuthorities: [authority(ca.rootCertificate)],
        ctlogs: hasLogs ? [logged(ctLog.publicKey)] : [],
        timestampAuthorities: [authority(tsa.intCertificate, tsa.rootCertificate)],
      },
    },
    /** Signs a statement as a job would. @returns a Sigstore bundle */
    async sign({
      about,
      claims = {},
      statement,
      payloadType = 'application/vnd.in-toto+json',
    }: ToSign): Promise<Record<string, unknown>> {
      const all = { iss: ISSUER, run_attempt: '1', repository_visibility: 'public', ...CLAIMS, ...claims }
      environment = claims.environment
      const token = new UnsecuredJWT({ ...all, sub: `https://github.com/${all.job_workflow_ref}` }).encode()
      const builder = new DSSEBundleBuilder({
        signer: new FulcioSigner({ fulcioBaseURL: url, identityProvider: { getToken: async () => token } }),
        witnesses:
          witness === 'log'
            ? [new RekorWitness({ rekorBaseURL: url })]
            : witness === 'timestamp'
              ? [new TSAWitness({ tsaBaseURL: url })]
              : [],
      })
      const said = statement ?? {
        _type: 'https://in-toto.io/Statement/v1',
        subject: about.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
        predicateType: PREDICATE,
        predicate: { buildDefinition: { buildType: 'https://actions.github.io/buildtypes/workflow/v1' } },
      }
      const { bundleToJSON } = await import('@sigstore/bundle')
      const bundle = await builder.create({ data: Buffer.from(JSON.stringify(said)), type: payloadType })
      return JSON.parse(JSON.stringify(bundleToJSON(bundle)))
    },
    close: () => new Promise<void>((done) => server.close(() => done())),
  }
}
