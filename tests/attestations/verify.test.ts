// Tests the verification of attestations without a hub: bundles of Sigstore's conformance suite, and hostile ones.
import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findRootProblem, verifyAttestation } from '../../src/attestations/verify-attestation.ts'
import { findSignerRefusal } from '../../src/domain/access/attestation-signer.ts'
import { TrustedPublisher } from '../../src/domain/content/front-matter.ts'
import { parseTrustedRootFile, type RootEntry } from '../../src/domain/content/trusted-root-file.ts'
import { CLAIMS, ISSUER } from '../oidc/issuer.ts'
import { type SigstoreServices, startSigstore } from './sigstore-services.ts'

const OURS: readonly RootEntry[] = parseTrustedRootFile(readFileSync('content/trusted-root.json', 'utf8')).value!.roots
const read = (name: string) => readFileSync(new URL(`conformance/${name}`, import.meta.url), 'utf8')
const suite = (name: string) => read(`${name}.sigstore.json`)
/** The suite's bundles of the second generation of logs are of an instance of their own. */
const STAGING: RootEntry = { name: 'staging', source: null, root: JSON.parse(read('rekor2.trusted-root.json')) }
/** The parts of a bundle that the tests change. */
interface Parts {
  dsseEnvelope: { payload: string; signatures: { sig: string }[] }
  verificationMaterial: {
    certificate: { rawBytes: string }
    publicKey?: { hint: string }
    tlogEntries: { integratedTime: string; logIndex: string; canonicalizedBody: string }[]
  }
}
const DIGEST = 'a0cfc71271d6e278e57cd332ff957c3f7043fdda354c4cbb190a30d56efa01bf'
const SHAPE = 'the bundle cannot be read: '
const MEDIA_TYPE = 'mediaType: expected application/vnd.dev.sigstore.bundle.v0.3+json'
const NO_CERTIFICATE = 'verificationMaterial.certificate: expected a certificate, not a key or a chain'
const NO_STATEMENT = 'dsseEnvelope: expected an envelope with an in-toto statement'

describe('Sigstore’s conformance suite', () => {
  test.each([
    ['happy-path-intoto-in-dsse-v3', OURS],
    ['rekor2-dsse-happy-path', [...OURS, STAGING]],
  ] as const)('%s is verified', (name, roots) => {
    expect(verifyAttestation(suite(name), roots).value).toMatchObject({
      predicateType: 'https://slsa.dev/provenance/v1',
      subjects: [{ sha256: DIGEST }],
      signer: {
        issuer: 'https://token.actions.githubusercontent.com',
        claims: {
          repository: 'sigstore-conformance/extremely-dangerous-public-oidc-beacon',
          job_workflow_ref:
            'sigstore-conformance/extremely-dangerous-public-oidc-beacon/.github/workflows/extremely-dangerous-oidc-beacon.yml@refs/heads/main',
          repository_id: '632596897',
          repository_owner_id: '131804563',
        },
      },
    })
  })

  test.each([
    ['dsse-invalid-sig_fail', 'no trusted root verifies it: sigstore: tlog entry signature mismatch'],
    ['dsse-mismatch-envelope_fail', 'no trusted root verifies it: sigstore: tlog entry signature mismatch'],
    ['dsse-mismatch-sig_fail', 'no trusted root verifies it: sigstore: tlog entry signature mismatch'],
    ['rekor2-dsse-invalid-sig_fail', 'no trusted root verifies it: staging: signature mismatch'],
    ['rekor2-dsse-mismatch-envelope_fail', 'no trusted root verifies it: staging: signature mismatch'],
    ['rekor2-dsse-mismatch-sig_fail', 'no trusted root verifies it: staging: signature mismatch'],
    ['happy-path-v0.1', `${SHAPE}${MEDIA_TYPE}; ${NO_CERTIFICATE}; ${NO_STATEMENT}`],
    ['happy-path-v0.3', `${SHAPE}${MEDIA_TYPE}; ${NO_STATEMENT}`],
    ['managed-key-happy-path', `${SHAPE}${NO_CERTIFICATE}; ${NO_STATEMENT}`],
  ])('%s is refused', (name, problem) => {
    const roots = name.startsWith('rekor2') ? [STAGING] : OURS
    expect(verifyAttestation(suite(name), roots)).toEqual({ problem })
  })
})

test('the root in the repository can be used', () => {
  expect(OURS.map((entry) => [entry.name, findRootProblem(entry)])).toEqual([['sigstore', undefined]])
})

describe('an attestation of our own', () => {
  const about = [{ name: 'acme/code-review', sha256: 'b'.repeat(64) }]
  let sigstore: SigstoreServices
  let other: SigstoreServices
  beforeAll(async () => {
    ;[sigstore, other] = await Promise.all([startSigstore(), startSigstore({ name: 'other' })])
  })
  afterAll(async () => {
    await Promise.all([sigstore?.close(), other?.close()])
  })
  const problemOf = (bundle: unknown, roots = [sigstore.root]) =>
    verifyAttestation(JSON.stringify(bundle), roots).problem
  /** Changes one value of a signed bundle. */
  const changed = (bundle: object, change: (copy: Parts) => void) => {
    const copy = structuredClone(bundle) as Parts
    change(copy)
    return copy
  }

  test('is verified with any of the roots, and names its signer', async () => {
    const bundle = await sigstore.sign({ about, claims: { environment: 'production' } })
    const { value } = verifyAttestation(JSON.stringify(bundle), [other.root, sigstore.root])
    const { sub: _, run_id: __, repository_owner: ___, ...claims } = CLAIMS
    expect(value).toEqual({
      predicateType: 'https://slsa.dev/provenance/v1',
      subjects: about,
      signer: {
        issuer: ISSUER,
        claims: { ...claims, environment: 'production' },
        identity: 'https://github.com/octo/prompts/.github/workflows/publish.yml@refs/heads/main',
        runUrl: 'https://github.com/octo/prompts/actions/runs/30433642/attempts/1',
      },
    })
  })

  test('is verified by a timestamp alone if the root has no logs, as GitHub’s for private repositories', async () => {
    const timestamped = await startSigstore({ witness: 'timestamp' })
    const bundle = await timestamped.sign({ about })
    await timestamped.close()
    expect(problemOf(bundle, [timestamped.root])).toBe(undefined)
    const withLogs = { ...timestamped.root, root: { ...timestamped.root.root, tlogs: sigstore.root.root.tlogs } }
    expect(problemOf(bundle, [withLogs])).toBe('no trusted root verifies it: test: expected 1 tlog entries, got 0')
  })

  test('is refused with a root that is not ours, and without any', async () => {
    const bundle = await other.sign({ about })
    expect(problemOf(bundle)).toMatch(/^no trusted root verifies it: test: Failed to verify certificate chain/)
    expect(problemOf(bundle, [])).toBe('this hub has no trusted root; its operator can add one with npm run trust')
  })

  test('is refused if its certificate had expired, or was not yet valid, when it was witnessed', async () => {
    for (const hours of [-24, 24]) {
      const witnesses = new Date()
      const certificates = new Date(Date.now() + hours * 3_600_000)
      const late = await startSigstore({ clocks: { certificates, witnesses } })
      const bundle = await late.sign({ about })
      await late.close()
      expect(problemOf(bundle, [late.root])).toMatch(/certificate is not valid or expired/)
    }
  })

  test('is refused with an expired certificate and no timestamp', async () => {
    const certificates = new Date(Date.now() - 24 * 3_600_000)
    const unwitnessed = await startSigstore({ clocks: { certificates }, witness: 'none' })
    const bundle = await unwitnessed.sign({ about })
    await unwitnessed.close()
    expect(problemOf(bundle, [unwitnessed.root])).toBe(
      'no trusted root verifies it: test: expected 1 timestamps, got 0',
    )
  })

  test('is refused if any part of it is changed', async () => {
    const bundle = await sigstore.sign({ about })
    const flip = (text: string) => `${text.slice(0, -8)}${text.at(-8) === 'A' ? 'B' : 'A'}${text.slice(-7)}`
    const parts: ((copy: Parts) => void)[] = [
      (copy) => (copy.dsseEnvelope.payload = Buffer.from('{"subject":[]}').toString('base64')),
      (copy) => (copy.dsseEnvelope.signatures[0]!.sig = flip(copy.dsseEnvelope.signatures[0]!.sig)),
      (copy) => (copy.verificationMaterial.certificate.rawBytes = flip(copy.verificationMaterial.certificate.rawBytes)),
      (copy) => (copy.verificationMaterial.tlogEntries[0]!.integratedTime = '1'),
      (copy) => (copy.verificationMaterial.tlogEntries[0]!.logIndex = '7'),
      (copy) => (copy.verificationMaterial.tlogEntries[0]!.canonicalizedBody = 'e30='),
      (copy) => (copy.verificationMaterial.tlogEntries = []),
    ]
    for (const change of parts) expect(problemOf(changed(bundle, change)), String(change)).toMatch(/^no trusted root/)
  })

  test('is refused with another content or key beside what was signed', async () => {
    const bundle = await sigstore.sign({ about })
    const messageSignature = { messageDigest: { algorithm: 'SHA2_256', digest: 'AAAA' }, signature: 'AAAA' }
    const both = problemOf({ ...bundle, messageSignature })
    expect(both === undefined || /^no trusted root/.test(both)).toBe(true)
    expect(problemOf(changed(bundle, (copy) => (copy.verificationMaterial.publicKey = { hint: 'x' })))).toMatch(
      /^no trusted root/,
    )
  })

  test('is refused for a statement that is not in-toto, and for a certificate that names no job', async () => {
    expect(problemOf(await sigstore.sign({ about, payloadType: 'text/plain' }))).toBe(
      `${SHAPE}dsseEnvelope.payloadType: expected application/vnd.in-toto+json`,
    )
    expect(problemOf(await sigstore.sign({ about, statement: { _type: 'x' } }))).toMatch(
      /^the statement cannot be read: /,
    )
    expect(problemOf(await sigstore.sign({ about, claims: { repository_id: undefined } }))).toBe(
      'the certificate does not name the CI job that signed: repository_id',
    )
    expect(problemOf(await sigstore.sign({ about, claims: { run_attempt: undefined } }))).toBe(
      'the certificate does not name the CI job that signed: run',
    )
  })

  test('is refused before it is read if it is nested, large or has many entries', async () => {
    const bundle = await sigstore.sign({ about })
    const nested = `{"mediaType":${'['.repeat(32_000)}${']'.repeat(32_000)}}`
    expect(verifyAttestation(nested, [sigstore.root])).toEqual({
      problem: `${SHAPE}expected at most 32 levels`,
    })
    expect(verifyAttestation('['.repeat(64_000), [sigstore.root])).toEqual({ problem: `${SHAPE}expected JSON` })
    expect(verifyAttestation(' '.repeat(65_537), [sigstore.root])).toEqual({ problem: 'expected at most 65536 bytes' })
    const [entry] = (bundle as unknown as Parts).verificationMaterial.tlogEntries
    const many = changed(bundle, (copy) => (copy.verificationMaterial.tlogEntries = Array(5).fill(entry)))
    expect(problemOf(many)).toBe(`${SHAPE}verificationMaterial.tlogEntries: expected at most 4`)
    const deep = Buffer.from('3080'.repeat(20_000), 'hex').toString('base64')
    const certificate = changed(
      bundle,
      (copy) => (copy.verificationMaterial.certificate.rawBytes = deep.slice(0, 40_000)),
    )
    expect(problemOf(certificate)).toMatch(/^no trusted root/)
  })

  test('anything else is refused, never thrown', () => {
    void fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(verifyAttestation(text, [sigstore.root]).problem).toMatch(/^the bundle cannot be read: /)
      }),
      { numRuns: 100 },
    )
  })

  test('is judged as the token of its job would be', async () => {
    const trusted = [
      TrustedPublisher.parse({
        repository: 'octo/prompts',
        repository_id: '1001',
        repository_owner_id: '2002',
        workflow: 'publish.yml',
        environment: 'production',
        ref: 'refs/heads/main',
        repos: ['code-review'],
      }),
    ]
    const refusalOf = async (claims: Record<string, string | undefined>, name = 'code-review', issuer = ISSUER) => {
      const text = JSON.stringify(await sigstore.sign({ about, claims: { environment: 'production', ...claims } }))
      return findSignerRefusal(verifyAttestation(text, [sigstore.root]).value!.signer, { issuer, trusted, name })
    }
    const start = 'the workflow that signed is not a trusted publisher: '
    const elsewhere = 'octo/prompts/.github/workflows/other.yml@refs/heads/main'
    expect(await refusalOf({})).toBe(undefined)
    expect(await refusalOf({ environment: 'Production' })).toBe(undefined)
    expect([
      await refusalOf({ repository: 'evil/prompts' }),
      await refusalOf({ repository_id: '1' }),
      await refusalOf({ repository_owner_id: '1' }),
      await refusalOf({ job_workflow_ref: elsewhere, workflow_ref: elsewhere }),
      await refusalOf({ event_name: 'pull_request_target' }),
      await refusalOf({ ref: 'refs/heads/x' }),
      await refusalOf({ environment: undefined }),
      await refusalOf({}, 'summary'),
      await refusalOf({ iss: 'https://gitlab.com' }),
    ]).toEqual([
      `${start}repository: a different repository is trusted`,
      `${start}repository_id: the trusted repository has this name but a different ID`,
      `${start}repository_owner_id: the trusted owner has this name but a different ID`,
      `${start}job_workflow_ref: only the workflow publish.yml is trusted`,
      `${start}event_name: only jobs triggered by push, release, workflow_dispatch, schedule may publish, not by pull_request_target`,
      `${start}ref: only jobs on refs/heads/main are trusted`,
      `${start}environment: only jobs in the environment production are trusted`,
      `${start}repos: summary is not listed`,
      'expected a certificate for a job of https://token.actions.githubusercontent.com, got one of https://gitlab.com',
    ])
  })
})
