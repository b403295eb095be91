// Reads prompts under a lock: only those in it, from vendored files if they exist, with every byte verified.
import { AnswerCache, type CacheSettings } from './cache.ts'
import type { Lock, LockedPrompt } from './lock.ts'
import { factsOf, type PromptFacts } from './prompt.ts'
import { satisfies, type Wish } from './ranges.ts'
import { readVersionRecord, type VersionRecord } from './records.ts'
import { PromptHubError } from './trouble.ts'
import { findExact } from './verify.ts'

/** An open lock, with access to its vendored files. */
export interface LockInForce {
  lock: Lock
  /** @returns the bytes at a path of the lock, or undefined if there is no file */
  readFile(path: string): Promise<Uint8Array<ArrayBuffer> | undefined>
}

/** Locked prompts. */
export class LockReader {
  readonly #url: string
  readonly #given: LockInForce
  readonly #versions: AnswerCache<VersionRecord>
  readonly #vendored = new Map<string, string>()

  constructor(url: string, given: LockInForce, settings: CacheSettings) {
    this.#url = url
    this.#given = given
    this.#versions = new AnswerCache(readVersionRecord, settings)
  }

  /**
   * Gets the locked version.
   *
   * @param wish must match the lock
   * @throws PromptHubError `not_locked` or `integrity`, and without a vendored file the errors of a request
   */
  async get(name: string, wish: Wish | undefined): Promise<PromptFacts> {
    const { prompts } = this.#given.lock
    const locked = Object.hasOwn(prompts, name) ? prompts[name] : undefined
    if (!locked) throw new PromptHubError('not_locked', `${name} is not in prompts.lock. Add it: hubcli add ${name}`)
    requireLocked(name, wish, locked)
    const content = await this.#readVendored(name, locked)
    if (content !== undefined) return factsOfLocked(name, locked, content)
    const url = `${this.#url}/data/v1/repos/${name}/versions/${locked.version}.json`
    const { value, source } = await this.#versions.get(url, false)
    requireSame(name, locked, value)
    return { ...factsOf(value), source, ageMs: 0, standing: undefined }
  }

  /** @returns the text of a vendored file, verified once per process; undefined if there is no file */
  async #readVendored(name: string, { path, sha256 }: LockedPrompt): Promise<string | undefined> {
    const known = this.#vendored.get(sha256)
    if (known !== undefined) return known
    const bytes = await this.#given.readFile(path)
    if (!bytes) return undefined
    const exact = await findExact(bytes, sha256, path)
    if (!exact)
      throw new PromptHubError(
        'integrity',
        `${path}, the vendored ${name}, has other bytes than prompts.lock says. Restore it: prompt-hub install --force`,
      )
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(exact)
    this.#vendored.set(sha256, text)
    return text
  }
}

/** Requires that the requested version matches the lock. Only the lock chooses versions, so any other request is rejected and not ignored. @throws PromptHubError `not_locked` */
function requireLocked(name: string, wish: Wish | undefined, { range, version }: LockedPrompt): void {
  const isMet =
    wish === undefined ||
    (wish.kind === 'version' && wish.version === version) ||
    (wish.kind === 'range' && (wish.range === range || satisfies(version, wish.range))) ||
    (wish.kind === 'label' && wish.label === range)
  if (!isMet)
    throw new PromptHubError(
      'not_locked',
      `prompts.lock has ${name} ${range} at ${version}, which does not match the request.`,
    )
}

function factsOfLocked(name: string, { version, sha256, details }: LockedPrompt, content: string): PromptFacts {
  const { variables, parameters } = details
  return { name, version, content, sha256, variables, parameters, source: 'lock', ageMs: 0, standing: undefined }
}

function requireSame(name: string, { version, sha256 }: LockedPrompt, record: VersionRecord): void {
  if (record.content_sha256 !== sha256)
    throw new PromptHubError('integrity', `${name}@${version}: the hub has other bytes than prompts.lock.`)
}
