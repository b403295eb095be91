// Verifies Sigstore bundles with the library `sigstore`, where it is installed beside this one.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { isObject } from './records.ts'
import { PromptHubError } from './trouble.ts'

const IN_TOTO = 'application/vnd.in-toto+json'
/** A certificate's extensions, below this number: https://github.com/sigstore/fulcio/blob/main/docs/oid-info.md */
const FULCIO = '1.3.6.1.4.1.57264.1.'
/** The tag of a UTF-8 string in DER. */
const DER_UTF8 = 0x0c
/** The oldest version of the library whose options are those used here. */
const OLDEST = 4
const WAY_OUT = `Install version ${OLDEST} or newer: npm install sigstore`
/** The functions and classes that are used. */
const PARTS = ['bundleFromJSON', 'toSignedEntity', 'toTrustMaterial', 'Verifier', 'TrustedRoot', 'getTrustedRoot']

/** What a verified bundle says. */
export interface Signed {
  /** The in-toto statement. */
  statement: Record<string, unknown>
  /** The text of an extension of the certificate, by its number at Fulcio. */
  claim(number: number): string | undefined
}

/** Verifies bundles: their certificate, their log entry or timestamp, and their signature. */
export interface Sigstore {
  /** @returns what it says, or why it is refused */
  verify(bundle: unknown): { signed: Signed; problem?: never } | { signed?: never; problem: string }
}

/** The parts of the library that are used. */
interface Library {
  bundleFromJSON(value: unknown): {
    content: { $case: string; dsseEnvelope?: { payloadType: string; payload: Uint8Array } }
  }
  toSignedEntity(bundle: object): object
  toTrustMaterial(root: Root): object
  Verifier: new (trusted: object, options: object) => Verifier
  TrustedRoot: { fromJSON(value: unknown): Root }
  getTrustedRoot(): Promise<Root>
}

interface Verifier {
  verify(entity: object): { identity?: Identity }
}

interface Root {
  tlogs: unknown[]
  ctlogs: unknown[]
}

interface Identity {
  oids?: readonly { oid?: { id: readonly number[] }; value: Uint8Array }[]
}

/**
 * Opens the library with the roots to trust. They never come from the hub.
 *
 * @param trustedRoot a file with roots, as `gh attestation trusted-root` prints them; by default, the library fetches that of the public instance
 * @returns undefined if the library is not installed
 * @throws PromptHubError `invalid_request` for a file that cannot be read, `unavailable` if the library cannot be loaded or is too old, or the roots cannot be fetched
 */
export async function openSigstore(trustedRoot?: string): Promise<Sigstore | undefined> {
  const load = createRequire(import.meta.url)
  if (!isInstalled(load)) return undefined
  const library = loadLibrary(load)
  const verifiers = trustedRoot === undefined ? [await openPublicRoot(library)] : await openRoots(library, trustedRoot)
  return { verify: (bundle) => verifyWith(library, verifiers, bundle) }
}

function isInstalled({ resolve }: NodeJS.Require): boolean {
  try {
    return resolve('sigstore') !== ''
  } catch {
    // A folder of a broken one is no missing one.
    return (resolve.paths('sigstore') ?? []).some((folder) => existsSync(join(folder, 'sigstore')))
  }
}

function loadLibrary(find: NodeJS.Require): Library {
  try {
    const { version }: { version?: unknown } = find('sigstore/package.json')
    if (!(Number.parseInt(String(version), 10) >= OLDEST)) throw new Error(`its version is ${String(version)}`)
    // Its own parts: those that it came with, wherever they are.
    const load = createRequire(find.resolve('sigstore'))
    const parts = ['@sigstore/bundle', '@sigstore/protobuf-specs', '@sigstore/verify', '@sigstore/tuf']
    const library = Object.assign({}, ...parts.map((part): unknown => load(part))) as Record<string, unknown>
    const missing = PARTS.find((part) => !['function', 'object'].includes(typeof library[part]))
    if (missing !== undefined) throw new Error(`it has no ${missing}`)
    return library as unknown as Library
  } catch (cause) {
    // Whoever has installed it expects a check.
    throw new PromptHubError(
      'unavailable',
      `the package sigstore cannot be used: ${reasonOf(cause).split('\n')[0]}. ${WAY_OUT}`,
      { cause },
    )
  }
}

async function openPublicRoot(library: Library): Promise<Verifier> {
  try {
    return openVerifier(library, await library.getTrustedRoot())
  } catch (cause) {
    throw new PromptHubError(
      'unavailable',
      `Sigstore’s trusted root cannot be fetched: ${reasonOf(cause)}. Give a file with --trusted-root: gh attestation trusted-root > FILE`,
      { cause },
    )
  }
}

async function openRoots(library: Library, path: string): Promise<Verifier[]> {
  try {
    const text = await readFile(path, 'utf8')
    const lines = text.split('\n').filter((line) => line.trim() !== '')
    const isEach = lines.every((line) => line.startsWith('{') && line.trimEnd().endsWith('}'))
    return (isEach ? lines : [text]).map((one) => openVerifier(library, library.TrustedRoot.fromJSON(JSON.parse(one))))
  } catch (cause) {
    throw new PromptHubError(
      'invalid_request',
      `--trusted-root: expected what gh attestation trusted-root prints: ${reasonOf(cause)}`,
      { cause },
    )
  }
}

function openVerifier({ toTrustMaterial, Verifier }: Library, root: Root): Verifier {
  // GitHub's instance for private repositories has timestamps alone.
  return new Verifier(toTrustMaterial(root), {
    tlogThreshold: Math.min(1, root.tlogs.length),
    ctlogThreshold: Math.min(1, root.ctlogs.length),
    timestampThreshold: 1,
  })
}

function verifyWith(
  { bundleFromJSON, toSignedEntity }: Library,
  verifiers: readonly Verifier[],
  given: unknown,
): ReturnType<Sigstore['verify']> {
  const reasons: string[] = []
  for (const verifier of verifiers) {
    try {
      const bundle = bundleFromJSON(given)
      const { identity } = verifier.verify(toSignedEntity(bundle))
      // What is read is what was verified: a bundle could have several contents.
      const { dsseEnvelope } = bundle.content
      if (bundle.content.$case !== 'dsseEnvelope' || dsseEnvelope?.payloadType !== IN_TOTO)
        return { problem: 'it has no in-toto statement' }
      const statement: unknown = JSON.parse(new TextDecoder().decode(dsseEnvelope.payload))
      if (!isObject(statement)) return { problem: 'its statement is no object' }
      const texts = readTexts(identity)
      return { signed: { statement, claim: (number) => texts.get(`${FULCIO}${number}`) } }
    } catch (error) {
      // Whatever a bundle makes the library throw, it is not verified.
      reasons.push(reasonOf(error))
    }
  }
  return { problem: [...new Set(reasons)].join('; ') }
}

function reasonOf(thrown: unknown): string {
  return (thrown instanceof Error ? thrown.message : String(thrown)).slice(0, 300)
}

/** Decodes the extensions that are one UTF-8 string in DER. */
function readTexts({ oids = [] }: Identity = {}): Map<string, string> {
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
