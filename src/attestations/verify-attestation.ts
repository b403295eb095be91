// Verifies attestations: Sigstore bundles with an in-toto statement. The only importer of @sigstore/verify; it is loaded when the first attestation arrives.
import { bundleFromJSON } from '@sigstore/bundle'
import { TrustedRoot } from '@sigstore/protobuf-specs'
import { toSignedEntity, toTrustMaterial, Verifier } from '@sigstore/verify'
import * as z from 'zod'
import { readSigner } from '../domain/access/attestation-signer.ts'
import type { RootEntry } from '../domain/content/trusted-root-file.ts'
import { LIMITS } from '../domain/limits.ts'
import type { AttestationVerdict } from '../domain/publishing/attested.ts'
import { findJsonProblem } from '../domain/text/json.ts'
import { printable } from '../domain/text/printable.ts'
import { formatProblems, parseWithSchema } from '../domain/text/problems.ts'
import { ATTESTATION_MEDIA_TYPE } from '../domain/values/attestation-name.ts'

const IN_TOTO = 'application/vnd.in-toto+json'
/** As far as a bundle and a statement are nested. */
const MAX_DEPTH = 32
/** GitHub's bundles have one entry in a log, or one timestamp. */
const MAX_WITNESSES = 4

const few = z.array(z.looseObject({})).max(MAX_WITNESSES, `expected at most ${MAX_WITNESSES}`)

/** The parts of a bundle that this hub requires; the library checks the rest. */
const BundleShape = z.looseObject({
  mediaType: z.literal(ATTESTATION_MEDIA_TYPE, `expected ${ATTESTATION_MEDIA_TYPE}`),
  verificationMaterial: z.looseObject({
    certificate: z.looseObject({ rawBytes: z.string() }, 'expected a certificate, not a key or a chain'),
    tlogEntries: few.optional(),
    timestampVerificationData: z.looseObject({ rfc3161Timestamps: few.optional() }).optional(),
  }),
  dsseEnvelope: z.looseObject(
    {
      payload: z.string(),
      payloadType: z.literal(IN_TOTO, `expected ${IN_TOTO}`),
      signatures: z.array(z.looseObject({ sig: z.string() })).length(1, 'expected one signature'),
    },
    'expected an envelope with an in-toto statement',
  ),
})

const Statement = z.looseObject({
  _type: z.enum(['https://in-toto.io/Statement/v1', 'https://in-toto.io/Statement/v0.1']),
  subject: z
    .array(z.looseObject({ name: z.string().default(''), digest: z.looseObject({ sha256: z.string().optional() }) }))
    .min(1),
  predicateType: z
    .string()
    .min(1)
    .max(LIMITS.sentenceCharacters)
    .regex(/^\P{C}*$/u, 'expected no control characters'),
})

/** Verifies an attestation: its certificate, its timestamp and log entries with one of the roots, then its signature. It does not decide whether the signer may publish. */
export function verifyAttestation(text: string, roots: readonly RootEntry[]): AttestationVerdict {
  if (Buffer.byteLength(text) > LIMITS.attestationBytes)
    return { problem: `expected at most ${LIMITS.attestationBytes} bytes` }
  const json = parseJson(text)
  const shape = json.problem === undefined ? parseWithSchema(BundleShape, json.value) : undefined
  if (!shape) return { problem: `the bundle cannot be read: ${json.problem}` }
  if (shape.problems) return { problem: `the bundle cannot be read: ${formatProblems(shape.problems)}` }
  if (roots.length === 0)
    return { problem: 'this hub has no trusted root; its operator can add one with npm run trust' }
  const reasons: string[] = []
  for (const { name, root } of roots) {
    const found = verifyWith(shape.value, root)
    if (found.signer) return readVerified(found.statement, found.signer)
    reasons.push(`${name}: ${found.problem}`)
  }
  return { problem: `no trusted root verifies it: ${reasons.join('; ')}` }
}

/** Returns why a root cannot be used; undefined if it can. */
export function findRootProblem({ root }: Pick<RootEntry, 'root'>): string | undefined {
  try {
    toTrustMaterial(TrustedRoot.fromJSON(root))
    return root.certificateAuthorities.length === 0 ? 'it names no certificate authority' : undefined
  } catch (thrown) {
    return reasonOf(thrown)
  }
}

/** Verifies a bundle with one root. A log counts only if the root has one: GitHub's instance for private repositories has timestamps alone. */
function verifyWith(bundle: unknown, root: RootEntry['root']) {
  try {
    const trusted = TrustedRoot.fromJSON(root)
    const verifier = new Verifier(toTrustMaterial(trusted), {
      tlogThreshold: Math.min(1, trusted.tlogs.length),
      ctlogThreshold: Math.min(1, trusted.ctlogs.length),
      timestampThreshold: 1,
    })
    const parsed = bundleFromJSON(bundle)
    const { identity } = verifier.verify(toSignedEntity(parsed))
    // What is read below is what the library has verified: a bundle could have several contents.
    const { content } = parsed
    if (content.$case !== 'dsseEnvelope' || content.dsseEnvelope.payloadType !== IN_TOTO)
      return { problem: 'expected an envelope with an in-toto statement' }
    const signer = readSigner(readTexts(identity?.oids ?? []), identity?.subjectAlternativeName)
    return { signer, statement: content.dsseEnvelope.payload.toString() }
  } catch (thrown) {
    // Whatever a bundle makes the library throw, it is not verified.
    return { problem: reasonOf(thrown) }
  }
}

function reasonOf(thrown: unknown): string {
  const { message, cause } = thrown as { message?: string; cause?: { message?: string } }
  const whole = [message, cause?.message].filter((part) => part !== undefined).join(': ')
  return printable(whole === '' ? String(thrown) : whole)
}

function readVerified(payload: string, { value: signer, problem }: ReturnType<typeof readSigner>): AttestationVerdict {
  const json = parseJson(payload)
  if (json.problem !== undefined) return { problem: `the statement cannot be read: ${json.problem}` }
  const statement = parseWithSchema(Statement, json.value)
  if (statement.problems) return { problem: `the statement cannot be read: ${formatProblems(statement.problems)}` }
  if (!signer) return { problem }
  const subjects = statement.value.subject.flatMap(({ name, digest: { sha256 } }) =>
    sha256 === undefined ? [] : { name, sha256 },
  )
  return { value: { predicateType: statement.value.predicateType, subjects, signer } }
}

function parseJson(text: string): { value: unknown; problem?: never } | { value?: never; problem: string } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { problem: 'expected JSON' }
  }
  const problem = findJsonProblem(value, { depth: MAX_DEPTH })
  return problem === undefined ? { value } : { problem }
}

/** The tag of a UTF-8 string in DER. */
const DER_UTF8 = 0x0c

/** Decodes the extensions that are one UTF-8 string in DER. */
function readTexts(oids: readonly { oid: { id: number[] } | undefined; value: Uint8Array }[]): Map<string, string> {
  const texts = new Map<string, string>()
  for (const { oid, value } of oids) {
    const text = decodeUtf8(value)
    if (oid && text !== undefined) texts.set(oid.id.join('.'), text)
  }
  return texts
}

/** @returns undefined for anything else, and for a length that does not fit */
function decodeUtf8(der: Uint8Array): string | undefined {
  const [tag, first = 0] = der
  if (tag !== DER_UTF8) return undefined
  const lengthBytes = first < 0x80 ? 0 : first - 0x80
  if (lengthBytes > 2) return undefined
  const start = 2 + lengthBytes
  const length = lengthBytes === 0 ? first : der.subarray(2, start).reduce((sum, byte) => sum * 256 + byte, 0)
  if (der.length !== start + length) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(der.subarray(start))
  } catch {
    return undefined
  }
}
