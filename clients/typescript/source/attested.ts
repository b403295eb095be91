// Checks what a lock has against the signatures of its publisher, with digests of its own. docs/lock-file.md.
import { type Lock, type LockedPrompt, type LockedSplit, readDetails } from './lock.ts'
import { type Publisher, readPublisher, refusePublisher, refuseUnattested } from './publisher.ts'
import { readTokenFor } from './read-token.ts'
import { isObject } from './records.ts'
import { askBytes, mapRequests, type RequestSettings, requestSettings } from './requests.ts'
import { openSigstore, type Signed, type Sigstore } from './sigstore.ts'
import { readJson, readRecord, readTools } from './skill-reader.ts'
import { writeSkill } from './skill-text.ts'
import { grantTools, renameSkill, SKILL } from './skills.ts'
import { PromptHubError } from './trouble.ts'
import { digestOf } from './verify.ts'

/** What a statement must say: that a job built the version. */
const PREDICATES: readonly unknown[] = ['https://slsa.dev/provenance/v1', 'https://slsa.dev/provenance/v0.2']
const ISSUER = 'https://token.actions.githubusercontent.com'
const ORIGIN = 'https://github.com/'
/** The numbers of a certificate's extensions at Fulcio. */
const CLAIMS = { issuer: 8, repository: 12, workflow: 18, event: 20 } as const
/** As the hub: outsiders can influence what other events run. */
const EVENTS: readonly unknown[] = ['push', 'release', 'workflow_dispatch', 'schedule']
const MAX_ATTESTATIONS = 5

/** What is said if the library is missing. */
const MISSING =
  'signatures were not verified here: that they are right is what the hub says. To verify them, install the package sigstore beside this one'
const NEEDED =
  'signatures were not verified: the package sigstore is not installed. Install version 4 or newer beside this one: npm install sigstore'

/** Where to read from. */
interface Hub {
  url: string
  requests: RequestSettings
}

/** Verifies the signatures of locked versions. */
export interface Signatures {
  /**
   * Checks a prompt, and the second version of its label.
   *
   * @returns why its signature was not verified; undefined if it was, or if it has none
   * @throws PromptHubError `integrity` if it is not that of the publisher in the lock, or of other bytes
   */
  check(name: string, locked: LockedPrompt): Promise<string | undefined>
  /** Refuses a lock in which a version has no attestation, also the second one of a label, of which the lock has no publisher. */
  require(name: string, locked: LockedPrompt): Promise<void>
}

/** What is checked of signatures. */
export interface SignatureOptions {
  /** A file with the roots of Sigstore to trust; then the package `sigstore` must be there. */
  trustedRoot?: string | undefined
  /** Verifies nothing: what the hub says counts. */
  skipSignatures?: boolean
}

/**
 * Prepares to verify signatures. The library and its roots are loaded at the first that there is.
 *
 * @param isNeeded whether to fail without the library
 * @throws PromptHubError `invalid_request` for roots that nothing would use
 */
export function openSignatures(
  hub: Hub,
  { trustedRoot, skipSignatures = false }: SignatureOptions = {},
  isNeeded: boolean = trustedRoot !== undefined,
): Signatures {
  if (trustedRoot !== undefined && skipSignatures)
    throw new PromptHubError('invalid_request', '--trusted-root and --skip-signatures: expected one of them')
  let sigstore: Promise<Sigstore | undefined> | undefined
  /** The records of second versions, which are read to require their attestation, and then to check it. */
  const seconds = new Map<string, Promise<Record<string, unknown>>>()
  const readSecond = (name: string, { version }: LockedSplit) => {
    const what = `${name} ${version}`
    const found = seconds.get(what) ?? readRecord(hub.url, hub.requests, { name, version })
    seconds.set(what, found)
    return found
  }
  return {
    async check(name, locked) {
      if (skipSignatures || !locked.publisher?.attested) return undefined
      sigstore ??= openSigstore(trustedRoot)
      const opened = await sigstore
      if (!opened && isNeeded) throw new PromptHubError('unavailable', NEEDED)
      if (!opened) return MISSING
      const { publisher, version, sha256, split } = locked
      const record = await readRecord(hub.url, hub.requests, { name, version })
      await checkVersion(hub, opened, publisher, { name, version, sha256, record, locked })
      if (!split) return undefined
      const second = { name, version: split.version, sha256: split.sha256, record: await readSecond(name, split) }
      await checkVersion(hub, opened, publisher, second)
      return undefined
    },
    async require(name, { publisher, version, split }) {
      const refused = refuseUnattested(`${name} ${version}`, publisher)
      if (refused !== undefined) throw new PromptHubError('integrity', `${refused}; nothing was changed`)
      if (!split) return
      const what = `${name} ${split.version}`
      const second = readPublisher(await readSecond(name, split))
      const other = refuseUnattested(what, second) ?? refusePublisher(what, publisher, second)
      if (other !== undefined) throw new PromptHubError('integrity', `${other}; nothing was changed`)
    },
  }
}

/**
 * Verifies the signatures of all versions of a lock that have one, with the package `sigstore`. It does not read the files: compare them with `prompt-hub verify`.
 *
 * @param trustedRoot a file with the roots of Sigstore to trust, as `gh attestation trusted-root` prints them; default: that of the public instance
 * @returns the names of the prompts whose signatures are right; the others have none
 * @throws PromptHubError `integrity` for a signature that is not that of the publisher in the lock, or of other bytes, `unavailable` if nothing can be verified because the package is missing, and the errors of the requests
 */
export async function verifySignatures(lock: Lock, { trustedRoot }: { trustedRoot?: string } = {}): Promise<string[]> {
  const hub = { url: lock.hub, requests: requestSettings({}, readTokenFor(lock.hub, {})) }
  const signatures = openSignatures(hub, { trustedRoot }, true)
  const signed = Object.entries(lock.prompts).filter(([, { publisher }]) => publisher?.attested)
  await mapRequests(signed, ([name, locked]) => signatures.check(name, locked))
  return signed.map(([name]) => name)
}

/** A version to check. */
interface ToCheck {
  name: string
  version: string
  /** The digest of the bytes of its content. */
  sha256: string
  /** What the hub says of it. */
  record: Record<string, unknown>
  /** What else the lock has of it. */
  locked?: LockedPrompt
}

async function checkVersion(hub: Hub, sigstore: Sigstore, publisher: Publisher, wanted: ToCheck): Promise<void> {
  const { name, version, record } = wanted
  const other = await findOther(wanted)
  if (other !== undefined) throw refuse(wanted, `the hub says something else of ${other} than the lock has`)
  const listed = Array.isArray(record.attestations) ? record.attestations.slice(0, MAX_ATTESTATIONS) : []
  if (listed.length === 0) throw refuse(wanted, 'the hub has no attestation of it')
  const manifest = await digestManifest(record)
  const reasons: string[] = []
  for (const [index, each] of listed.entries()) {
    const problem = judge(sigstore, await readBundle(hub, name, version, index, each), publisher, {
      ...wanted,
      manifest,
      hasFiles: Array.isArray(record.files) && record.files.length > 0,
    })
    if (problem === undefined) return
    reasons.push(problem)
  }
  throw refuse(wanted, [...new Set(reasons)].join('; '))
}

function refuse({ name, version }: ToCheck, why: string): PromptHubError {
  return new PromptHubError(
    'integrity',
    `the signature of ${name} ${version} is not verified: ${why}; nothing was changed`,
  )
}

async function readBundle(hub: Hub, name: string, version: string, index: number, listed: unknown): Promise<unknown> {
  const sha256 = isObject(listed) && /^[0-9a-f]{64}$/.test(String(listed.sha256)) ? listed.sha256 : 'none'
  const file = `${hub.url}/data/v1/repos/${name}/blobs/${sha256}.bin`
  const api = `${hub.url}/api/v1/repos/${name}/versions/${version}/attestations/${index + 1}.sigstore.json`
  return readJson(await askBytes([file, api], hub.requests))
}

/** Compares a record with what the lock has, which was computed from the bytes that came. @returns what differs */
async function findOther({ name, version, sha256, record, locked }: ToCheck): Promise<string | undefined> {
  if (record.full_name !== name || record.version !== version) return 'its name or version'
  if (record.content_sha256 !== sha256 || (await sha256Of(String(record.content))) !== sha256) return 'its content'
  if (!locked) return undefined
  const details = readDetails(record.variables, record.parameters)
  if (canonicalJson(details) !== canonicalJson(locked.details)) return 'its variables or parameters'
  for (const { path, files } of locked.places) {
    if (!files) continue
    const expected = await digestFiles(record, path.split('/').at(-1)!, locked.keepsPermissions)
    const found = Object.fromEntries(files.map((file) => [file.path, file.sha256]))
    if (!expected || canonicalJson(expected) !== canonicalJson(found)) return `the files in ${path}`
  }
  return undefined
}

/** The digest of each file of a skill, in a folder of this name. @param isGranting whether its SKILL.md grants the tools that it asks for */
async function digestFiles(
  record: Record<string, unknown>,
  folder: string,
  isGranting = false,
): Promise<Record<string, unknown> | undefined> {
  const text = writeSkill(record)
  if (text === undefined || !Array.isArray(record.files)) return undefined
  const plain = new TextEncoder().encode(text)
  const tools = isGranting ? readTools(record) : []
  const bytes = tools.length > 0 ? grantTools(plain, tools) : plain
  const skill = bytes && folder !== String(record.full_name).split('/')[1] ? renameSkill(bytes, folder) : bytes
  if (!skill) return undefined
  const others = record.files.filter(isObject).map(({ path, sha256 }) => [String(path), sha256] as const)
  return Object.fromEntries([[SKILL, await digestOf(skill, SKILL)], ...others])
}

/** The SHA-256 of the manifest. docs/contract.md section 7 */
async function digestManifest(record: Record<string, unknown>): Promise<string> {
  const { content_sha256, format, variables, parameters, skill = null } = record
  const files = (Array.isArray(record.files) ? record.files : [])
    .filter(isObject)
    .map(({ path, size_bytes, sha256 }) => ({ path, size_bytes, sha256 }))
  return sha256Of(canonicalJson({ content_sha256, format, variables, parameters, skill, files }))
}

const sha256Of = (text: string) => digestOf(new TextEncoder().encode(text), 'the record')

/** Canonical JSON: RFC 8785. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value) ?? 'null'
  const keys = Object.keys(value).filter((key) => value[key] !== undefined)
  return `{${keys
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`)
    .join(',')}}`
}

/** Judges an attestation. @returns why it does not prove what the lock has */
function judge(
  sigstore: Sigstore,
  bundle: unknown,
  publisher: Publisher,
  { name, sha256, manifest, hasFiles }: ToCheck & { manifest: string; hasFiles: boolean },
): string | undefined {
  const { signed, problem } = sigstore.verify(bundle)
  if (!signed) return problem
  const by = findOtherSigner(signed, publisher)
  if (by !== undefined) return by
  const { predicateType, subject } = signed.statement
  if (!PREDICATES.includes(predicateType)) return 'it is no build provenance'
  const subjects = (Array.isArray(subject) ? subject : []).filter(isObject).map((each) => ({
    name: each.name,
    sha256: isObject(each.digest) ? each.digest.sha256 : undefined,
  }))
  // That of a skill with files is the digest of its archive; the manifest has that of each file.
  const isNamed = subjects.some((each) => each.name === name && (hasFiles || each.sha256 === sha256))
  if (!isNamed) return `it is not about ${name} with the SHA-256 ${sha256}`
  if (subjects.some((each) => each.name === `${name}#manifest` && each.sha256 === manifest)) return undefined
  return `it is not about ${name}#manifest with the SHA-256 ${manifest}, so nothing proves its variables, parameters and files`
}

function findOtherSigner(signed: Signed, { repository, workflow }: Publisher): string | undefined {
  const { issuer: by, repository: from, workflow: file, event: trigger } = CLAIMS
  const [issuer, source, config = '', event = 'nothing'] = [by, from, file, trigger].map(signed.claim)
  if (issuer !== ISSUER || source !== `${ORIGIN}${repository}` || config.split('@')[0] !== `${ORIGIN}${workflow}`)
    return `${config || 'somebody else'} signed it, and not ${workflow}`
  return EVENTS.includes(event) ? undefined : `its job was triggered by ${event}, and not by ${EVENTS.join(', ')}`
}
