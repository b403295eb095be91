// Verifies bytes against a digest.
import { PromptHubError } from './trouble.ts'

/**
 * Requires that bytes match a digest.
 *
 * @param sha256 in hex
 * @param what name used in the error
 * @throws PromptHubError `integrity` when the SHA-256 differs, or cannot be computed here
 */
export async function requireDigest(bytes: Uint8Array<ArrayBuffer>, sha256: string, what: string): Promise<void> {
  if ((await digestOf(bytes, what)) !== sha256)
    throw new PromptHubError('integrity', `${what} has other bytes than its SHA-256 says.`)
}

/**
 * Finds the bytes with a digest in a file: the file itself or, because editors and formatters change that, the file without its last line ending or with one more.
 *
 * @param sha256 in hex
 * @param what name used in an error
 * @returns exactly the bytes with that digest; undefined if the file differs in anything else
 * @throws PromptHubError `integrity` if no SHA-256 can be computed here
 */
export async function findExact(
  bytes: Uint8Array<ArrayBuffer>,
  sha256: string,
  what: string,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if ((await digestOf(bytes, what)) === sha256) return bytes
  for (const other of withOtherEnd(bytes)) if ((await digestOf(other, what)) === sha256) return other
  return undefined
}

function withOtherEnd(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>[] {
  const [LF, CR] = [10, 13]
  const longer = new Uint8Array([...bytes, LF])
  if (bytes.at(-1) !== LF) return [longer]
  return [longer, bytes.slice(0, -1), ...(bytes.at(-2) === CR ? [bytes.slice(0, -2)] : [])]
}

/** Computes the SHA-256 of bytes, in hex. @param what name used in the error @throws PromptHubError `integrity` if it cannot be computed here */
export async function digestOf(bytes: Uint8Array<ArrayBuffer>, what: string): Promise<string> {
  if (!globalThis.crypto?.subtle)
    throw new PromptHubError(
      'integrity',
      `${what} cannot be checked here: browsers compute SHA-256 only on https and localhost.`,
    )
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
