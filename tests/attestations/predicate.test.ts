// Tests which statements count as an attestation of a version, with an owner that demands one. Each is signed by the trusted workflow.
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Hub } from '../hubs/publishing.ts'
import { PREDICATE, type SigstoreServices } from './sigstore-services.ts'
import { openStrictHub } from './strict-hub.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const TO = 'strict/greet'
const CONTENT = 'Greet.\n'
const MANIFEST = `{"content_sha256":"${sha256(CONTENT)}","files":[],"format":"text","parameters":{},"skill":null,"variables":[]}`
const subject = (name: unknown, digest: object) => ({ ...(name === undefined ? {} : { name }), digest })
const MANIFEST_SUBJECT = subject(`${TO}#manifest`, { sha256: sha256(MANIFEST) })
const CONTENT_SUBJECT = subject(TO, { sha256: sha256(CONTENT) })
const BOTH = [CONTENT_SUBJECT, MANIFEST_SUBJECT]
const V1 = 'https://in-toto.io/Statement/v1'

let sigstore: SigstoreServices
let hub: Hub
let token: string
beforeAll(async () => {
  const opened = await openStrictHub()
  hub = opened.hub
  sigstore = opened.sigstore
  token = opened.token
})
afterAll(() => sigstore?.close())

/** Sends a statement, without publishing. */
async function send(subjects: readonly object[], predicateType: unknown = PREDICATE, _type = V1, predicate = {}) {
  const statement = { _type, subject: subjects, predicateType, predicate }
  const attestations = [await sigstore.sign({ about: [], statement })]
  const { status, message } = await hub.publish({ content: CONTENT, attestations, dry_run: true }, { to: TO, token })
  return `${status} ${message}`
}

test.each([
  ['provenance, v1', BOTH, PREDICATE, V1],
  ['provenance, v0.2', BOTH, 'https://slsa.dev/provenance/v0.2', V1],
  ['a statement of in-toto v0.1', BOTH, PREDICATE, 'https://in-toto.io/Statement/v0.1'],
  [
    'subjects of other prompts, too',
    [...Array.from({ length: 64 }, (_, at) => subject(`strict/n${at}`, { sha256: 'b'.repeat(64) })), ...BOTH],
    PREDICATE,
    V1,
  ],
  ['further digests', [subject(TO, { sha256: sha256(CONTENT), sha512: 'x' }), MANIFEST_SUBJECT], PREDICATE, V1],
])('counts: %s', async (_what, subjects, predicateType, type) => {
  expect(await send(subjects, predicateType, type)).toBe('200 ')
})

const NO_PROVENANCE =
  /^422 attestations\.0: expected a statement of build provenance, https:\/\/slsa\.dev\/provenance\/v1 or /
const NO_CONTENT =
  /^422 attestations\.0: expected the subject strict\/greet with the SHA-256 of the content of 1\.0\.0, /
const NO_MANIFEST =
  /^422 attestations\.0: expected the subject strict\/greet#manifest with the SHA-256 of the manifest /
const UNREADABLE = /^422 attestations\.0: the statement cannot be read: /
test.each([
  ['a verdict', BOTH, 'https://in-toto.io/attestation/test-result/v0.1', NO_PROVENANCE],
  ['a list of vulnerabilities', BOTH, 'https://in-toto.io/attestation/vulns', NO_PROVENANCE],
  ['a release by GitHub', BOTH, 'https://in-toto.io/attestation/release/v0.1', NO_PROVENANCE],
  ['a type that only begins like provenance', BOTH, `${PREDICATE}/x`, NO_PROVENANCE],
  [
    'the name of another prompt',
    [subject('evil/other', CONTENT_SUBJECT.digest), MANIFEST_SUBJECT],
    PREDICATE,
    NO_CONTENT,
  ],
  ['the name of a file', [subject('malware.tgz', CONTENT_SUBJECT.digest), MANIFEST_SUBJECT], PREDICATE, NO_CONTENT],
  [
    'the name in another case',
    [subject('Strict/greet', CONTENT_SUBJECT.digest), MANIFEST_SUBJECT],
    PREDICATE,
    NO_CONTENT,
  ],
  ['no name', [subject(undefined, CONTENT_SUBJECT.digest), MANIFEST_SUBJECT], PREDICATE, NO_CONTENT],
  [
    'digests for each other’s names',
    [subject(TO, MANIFEST_SUBJECT.digest), subject(`${TO}#manifest`, CONTENT_SUBJECT.digest)],
    PREDICATE,
    NO_CONTENT,
  ],
  ['only another digest', [subject(TO, { sha512: sha256(CONTENT) }), MANIFEST_SUBJECT], PREDICATE, NO_CONTENT],
  [
    'a digest in upper case',
    [subject(TO, { sha256: sha256(CONTENT).toUpperCase() }), MANIFEST_SUBJECT],
    PREDICATE,
    NO_CONTENT,
  ],
  ['half a digest', [subject(TO, { sha256: sha256(CONTENT).slice(0, 32) }), MANIFEST_SUBJECT], PREDICATE, NO_CONTENT],
  ['the content alone', [CONTENT_SUBJECT], PREDICATE, NO_MANIFEST],
  [
    'another manifest',
    [CONTENT_SUBJECT, subject(`${TO}#manifest`, { sha256: 'b'.repeat(64) })],
    PREDICATE,
    NO_MANIFEST,
  ],
  [
    'the manifest of another prompt',
    [CONTENT_SUBJECT, subject('strict/other#manifest', MANIFEST_SUBJECT.digest)],
    PREDICATE,
    NO_MANIFEST,
  ],
  ['a name that is no text', [subject(7, CONTENT_SUBJECT.digest), MANIFEST_SUBJECT], PREDICATE, UNREADABLE],
  ['no subject', [], PREDICATE, UNREADABLE],
  ['no type', BOTH, 7, UNREADABLE],
] as const)('does not count: %s', async (_what, subjects, predicateType, message) => {
  expect(await send(subjects, predicateType)).toMatch(message)
})
