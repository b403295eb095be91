// Reads prompts under a lock: only those in it, from vendored files if they exist, with every byte verified.
import { AnswerCache, type CacheSettings, type Call, readEither } from './cache.ts'
import type { Lock, LockedPrompt } from './lock.ts'
import { factsOf, formatOf, type PromptFacts } from './prompt.ts'
import { satisfies, type Wish } from './ranges.ts'
import { readVersionRecord, type VersionRecord } from './records.ts'
import type { RequestSettings } from './requests.ts'
import { readSkillFile } from './skill-reader.ts'
import { findContent, SKILL, type SkillFile } from './skills.ts'
import { chooseVersion } from './split.ts'
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
  readonly #requests: RequestSettings
  readonly #vendored = new Map<string, string>()

  constructor(url: string, given: LockInForce, settings: CacheSettings) {
    this.#url = url
    this.#given = given
    this.#requests = settings.requests
    this.#versions = new AnswerCache(readVersionRecord, settings)
  }

  /**
   * Gets the locked version.
   *
   * @param wish must match the lock
   * @param key who gets which version of a label. The second one is not in the project, so it is read from the hub once
   * @throws PromptHubError `not_locked` or `integrity`, and without a vendored file the errors of a request
   */
  async get(name: string, wish: Wish | undefined, call: Call, key?: string): Promise<PromptFacts> {
    const { prompts } = this.#given.lock
    const locked = Object.hasOwn(prompts, name) ? prompts[name] : undefined
    if (!locked) throw new PromptHubError('not_locked', `${name} is not in prompts.lock. Add it: hubcli add ${name}`)
    requireLocked(name, wish, locked)
    const label = wish?.kind === 'label' ? wish.label : null
    const { version, split = null } = locked
    if (split && (await chooseVersion({ version, split }, key)) === split.version)
      return { ...(await this.#readExactly(name, split, call)), label }
    const content = await this.#readVendored(locked)
    if (content !== undefined) return { ...factsOfLocked(name, locked, content), label }
    return { ...(await this.#readExactly(name, locked, call)), label }
  }

  /** Reads a version from the hub. */
  async #readExactly(
    name: string,
    { version, sha256 }: Pick<LockedPrompt, 'version' | 'sha256'>,
    call: Call,
  ): Promise<Omit<PromptFacts, 'label'>> {
    const get = (place: string) => this.#versions.get(this.#url + place, false, call)
    const { value, source } = await readEither(get, `repos/${name}/versions/${version}`)
    if (value.content_sha256 !== sha256)
      throw new PromptHubError('integrity', `${name}@${version}: the hub has other bytes than prompts.lock.`)
    return { ...factsOf(value), source, ageMs: 0, standing: undefined }
  }

  /** @returns the text of the first vendored file that exists, verified once per process; undefined if there is none */
  async #readVendored({ sha256, places }: LockedPrompt): Promise<string | undefined> {
    const known = this.#vendored.get(sha256)
    if (known !== undefined) return known
    for (const { path: place, files } of places) {
      const skill = files?.find(({ path }) => path === SKILL)
      const path = skill ? `${place}/${SKILL}` : place
      const found = await this.#readExact(path, skill?.sha256 ?? sha256)
      if (!found) continue
      const exact = skill ? await findContent(found, sha256) : found
      if (!exact) throw changed(path)
      const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(exact)
      this.#vendored.set(sha256, text)
      return text
    }
    return undefined
  }

  async #readExact(path: string, sha256: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const bytes = await this.#given.readFile(path)
    const exact = bytes && (await findExact(bytes, sha256, path))
    if (bytes && !exact) throw changed(path)
    return exact
  }

  /**
   * Reads a file of a locked skill: the one in the project or, if there is none, that of the hub.
   *
   * @throws PromptHubError `integrity` for other bytes, and without the file the errors of a request
   */
  async readFile(name: string, version: string, file: SkillFile): Promise<Uint8Array<ArrayBuffer>> {
    const locked = this.#given.lock.prompts[name]!
    for (const { path, files = [] } of locked.version === version ? locked.places : []) {
      const isLocked = files.some((each) => each.path === file.path)
      const there = isLocked ? await this.#readExact(`${path}/${file.path}`, file.sha256) : undefined
      if (there) return there
    }
    return readSkillFile(this.#url, this.#requests, { name, version }, file)
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

function changed(path: string): PromptHubError {
  return new PromptHubError(
    'integrity',
    `${path} is not what prompts.lock says; prompt-hub install --force restores it`,
  )
}

function factsOfLocked(
  name: string,
  { version, sha256, places, publisher, details }: LockedPrompt,
  content: string,
): Omit<PromptFacts, 'label'> {
  const { variables, parameters } = details
  // At each place, the files are the same except for the name in SKILL.md.
  const files = places.find((place) => place.files)?.files
  const others = files?.filter(({ path }) => path !== SKILL) ?? []
  const rest = { source: 'lock', ageMs: 0, standing: undefined } as const
  // A lock does not say the format; only the text does.
  const format = formatOf(content)
  const skill = files && { skill: '' }
  return { name, version, format, content, sha256, variables, parameters, files: others, publisher, ...skill, ...rest }
}
