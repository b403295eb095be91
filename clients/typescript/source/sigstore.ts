// Verifies Sigstore bundles with the library `sigstore`, where it is installed beside this one.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { isObject } from './records.ts'
import { PromptHubError } from './trouble.ts'

const IN_TOTO = 'application/vnd.in-toto+json'
/** A certificate's extensions, below this number: https://github.com/sigstore/fulcio/blob/main/docs/oid-info.md */
const FULCIO = '1.3.6.1.4.1.57264.1.'
/** The tag of a UTF-8 string in DER. */
const DER_UTF8 = 0x0c

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
  Verifier: new (trusted: object, options: object) => { verify(entity: object): { identity?: Identity } }
  TrustedRoot: { fromJSON(value: unknown): Root }
  getTrustedRoot(): Promise<Root>
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
 * @throws PromptHubError `invalid_request` for a file that cannot be read, `unavailable` if the roots cannot be fetched
 */
export async function openSigstore(trustedRoot?: string): Promise<Sigstore | undefined> {
  const library = loadLibrary()
  if (!library) return undefined
  const roots = trustedRoot === undefined ? [await fetchRoot(library)] : await readRoots(library, trustedRoot)
  return { verify: (bundle) => verifyWith(library, roots, bundle) }
}

function loadLibrary(): Library | undefined {
  try {
    const main = createRequire(import.meta.url).resolve('sigstore')
    // Its own parts: those that it came with, wherever they are.
    const load = createRequire(main)
    const parts = ['@sigstore/bundle', '@sigstore/protobuf-specs', '@sigstore/verify', '@sigstore/tuf']
    return Object.assign({}, ...parts.map((part): unknown => load(part))) as Library
  } catch {
    return undefined
  }
}

async function fetchRoot({ getTrustedRoot }: Library): Promise<Root> {
  try {
    return await getTrustedRoot()
  } catch (cause) {
    throw new PromptHubError(
      'unavailable',
      `Sigstore’s trusted root cannot be fetched: ${reasonOf(cause)}. Give a file with --trusted-root: gh attestation trusted-root > FILE`,
      { cause },
    )
  }
}

async function readRoots({ TrustedRoot }: Library, path: string): Promise<Root[]> {
  try {
    const text = await readFile(path, 'utf8')
    const lines = text.split('\n').filter((line) => line.trim() !== '')
    const isEach = lines.every((line) => line.startsWith('{') && line.trimEnd().endsWith('}'))
    return (isEach ? lines : [text]).map((one) => TrustedRoot.fromJSON(JSON.parse(one)))
  } catch (cause) {
    throw new PromptHubError(
      'invalid_request',
      `--trusted-root: expected what gh attestation trusted-root prints: ${reasonOf(cause)}`,
      { cause },
    )
  }
}

function verifyWith(library: Library, roots: readonly Root[], given: unknown): ReturnType<Sigstore['verify']> {
  const { bundleFromJSON, toSignedEntity, toTrustMaterial, Verifier } = library
  const reasons: string[] = []
  for (const root of roots) {
    try {
      const bundle = bundleFromJSON(given)
      // GitHub's instance for private repositories has timestamps alone.
      const verifier = new Verifier(toTrustMaterial(root), {
        tlogThreshold: Math.min(1, root.tlogs.length),
        ctlogThreshold: Math.min(1, root.ctlogs.length),
        timestampThreshold: 1,
      })
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
  return der.length === start + length ? new TextDecoder().decode(der.subarray(start)) : undefined
}
