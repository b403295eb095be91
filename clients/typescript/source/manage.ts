// Changes what is published: labels, yanks, status and texts, with a token.

import { HUB_URL } from './address.ts'
import { parseArguments } from './arguments.ts'
import { type Guarded, isWorse, sayWhy, scoreIn } from './guard.ts'
import { labelled } from './hub-reader.ts'
import { requireHubUrl } from './lock.ts'
import { noteChange } from './own-changes.ts'
import { isVersion, readWish } from './ranges.ts'
import { isPrivateWay, requireToken } from './read-token.ts'
import { isObject, readRepositoryRecord } from './records.ts'
import { ask, type RequestOptions, type RequestSettings, requestSettings } from './requests.ts'
import { PromptHubError } from './trouble.ts'

/** Options of a client for changes. */
export interface ManageOptions extends RequestOptions {
  /** The hub's URL; default: that of the hub from which this library was downloaded. */
  url?: string
  /** A token with the permission `label` or `maintain`. Sent only over https, or to this machine itself. */
  token: string
}

/** The changeable fields of a repository; null clears optional ones. Omitted fields stay unchanged. */
export interface RepositoryChanges {
  title?: string
  description?: string
  tags?: readonly string[]
  license?: string | null
  status?: 'active' | 'deprecated' | 'archived'
  status_message?: string | null
  replaced_by?: string | null
  moved_to?: string | null
  readme?: string
}

/** The outcome of a test suite. */
export interface ReportedOutcome {
  passed: number
  failed: number
  skipped?: number
  /** From 0 to 1. */
  score?: number | null
  model?: string | null
  /** The https URL of the run. */
  url?: string | null
  /** When the suite ran, in UTC; default: now. */
  at?: string
}

/** The result of a change. */
export interface ChangeResult {
  /** Whether nothing needed to change. */
  unchanged: boolean
  /** The commit of the change, or null. */
  commit: { sha: string; url: string | null } | null
}

/**
 * Changes prompts on a hub. Each call makes one commit, or none when nothing changes, so a call may be repeated. From then on, every `PromptHub` of this process asks the hub for the prompt again. Every call throws PromptHubError: `invalid_request` when nothing was sent, `not_found`, `refused` (with `status` 403 for a missing permission, 409 when `expected` differs) or `unavailable` according to the hub's response.
 */
export class HubManager {
  readonly #url: string
  readonly #options: ManageOptions

  /** @throws PromptHubError `invalid_request` for an invalid URL or token */
  constructor(options: ManageOptions) {
    this.#url = requireHubUrl(options.url ?? HUB_URL)
    this.#options = options
    requireToken(options.token, this.#url)
    if (!isPrivateWay(new URL(this.#url)))
      throw new PromptHubError(
        'invalid_request',
        'url: expected https, so that nobody on the network can read the token; for this machine behind HTTP_PROXY, set NO_PROXY',
      )
  }

  /** Points a label at a version, and offers a second one to a share of callers. Without `split`, a split ends. */
  async setLabel(name: string, label: string, version: string, options: LabelOptions = {}): Promise<ChangeResult> {
    const { split, reason, expected } = options
    return this.#send('PUT', name, `/labels/${labelOf(label)}`, {
      version: versionOf(version),
      split,
      reason,
      expected,
    })
  }

  /**
   * Points a label of several prompts of an owner at versions, in one commit or not at all.
   *
   * @param versions by the name of each prompt, such as `{ 'code-review': '1.2.0' }`
   */
  async setLabels(
    owner: string,
    label: string,
    versions: Readonly<Record<string, string>>,
    { reason }: Pick<LabelOptions, 'reason'> = {},
  ): Promise<ChangeResult> {
    const names = Object.keys(versions).map((name) => parseArguments(`${owner}/${name}`, {}).fullName)
    if (names.length === 0) throw new PromptHubError('invalid_request', 'versions: expected at least one')
    for (const version of Object.values(versions)) versionOf(version)
    return this.#write('PUT', `users/${owner}/labels/${labelOf(label)}`, { versions, reason }, names)
  }

  /** Removes a label. */
  async removeLabel(
    name: string,
    label: string,
    { reason, expected }: Omit<LabelOptions, 'split'> = {},
  ): Promise<ChangeResult> {
    return this.#send('DELETE', name, `/labels/${labelOf(label)}`, { reason, expected })
  }

  /**
   * Makes a label what it was before its last change. A version that the label had before needs no test results.
   *
   * @returns what it points at now; null if it is removed
   * @throws PromptHubError also `not_found` if no change of it is known
   */
  async undoLabel(name: string, label: string): Promise<ChangeResult & { target: Target | null }> {
    const { fullName } = parseArguments(name, {})
    const url = `${this.#url}/api/v1/repos/${fullName}/activity`
    const { before, now } = await readLastMove(url, labelOf(label), {
      ...requestSettings(this.#options),
      readToken: this.#options.token,
    })
    const made =
      before === null
        ? await this.removeLabel(name, label, { expected: now })
        : await this.setLabel(name, label, before.version, { split: before.split, expected: now })
    return { ...made, target: before }
  }

  /**
   * Ends the split of a label if its second version is worse than the first in a test suite, in one commit. Without a split, or without results of both, it changes nothing.
   *
   * @param threshold by how much the score, from 0 to 1, may be lower
   */
  async guardSplit(name: string, label: string, suite: string, threshold = 0): Promise<Guarded> {
    const { fullName } = parseArguments(name, { label })
    const settings = { ...requestSettings(this.#options), readToken: this.#options.token }
    const read = async (path: string) => {
      const url = `${this.#url}/api/v1/repos/${fullName}${path}`
      const reply = await ask(url, undefined, settings)
      return { text: reply.kind === 'new' ? reply.text : '', url }
    }
    const record = await read('')
    const { labels } = await readRepositoryRecord(record.text, record.url)
    const target = labelled(labels, label)
    if (!target?.split) return { ended: false, first: null, second: null }
    const { version, split } = target
    const [first = null, second = null] = await Promise.all(
      [version, split.version].map(async (one) => {
        const { text, url } = await read(`/versions/${one}/results`)
        return scoreIn(readRows(text, url), suite)
      }),
    )
    const scores = { first, second }
    if (!isWorse(scores, threshold)) return { ended: false, ...scores }
    const expected = { version, split: { version: split.version, percent: split.percent } }
    await this.setLabel(name, label, version, { reason: sayWhy(suite, target, scores), expected })
    return { ended: true, ...scores }
  }

  /** Yanks a version. @param reason 1 to 500 characters */
  async yank(name: string, version: string, reason: string): Promise<ChangeResult> {
    return this.#send('PUT', name, `/versions/${versionOf(version)}/yank`, { reason })
  }

  /** Reports the result of a test suite for a version. */
  async report(name: string, version: string, suite: string, outcome: ReportedOutcome): Promise<ChangeResult> {
    return this.#send('PUT', name, resultPath(version, suite), { ...outcome })
  }

  /** Removes the result of a test suite for a version. */
  async removeResult(name: string, version: string, suite: string): Promise<ChangeResult> {
    return this.#send('DELETE', name, resultPath(version, suite), undefined)
  }

  /** Undoes a yank. */
  async unyank(name: string, version: string): Promise<ChangeResult> {
    return this.#send('DELETE', name, `/versions/${versionOf(version)}/yank`, undefined)
  }

  /** Changes title, description, tags, licence, status and related fields, or the readme. */
  async change(name: string, changes: RepositoryChanges): Promise<ChangeResult> {
    return this.#send('PATCH', name, '', changes)
  }

  async #send(method: string, name: string, rest: string, body: object | undefined): Promise<ChangeResult> {
    const { fullName } = parseArguments(name, {})
    return this.#write(method, `repos/${fullName}${rest}`, body, [fullName])
  }

  /** @param names the prompts that it changes */
  async #write(
    method: string,
    path: string,
    body: object | undefined,
    names: readonly string[],
  ): Promise<ChangeResult> {
    const url = `${this.#url}/api/v1/${path}`
    const write = { method, token: this.#options.token, body: body && JSON.stringify(body) }
    // Also if the request failed, because a change whose response was lost may have been made.
    const reply = await ask(url, undefined, requestSettings(this.#options), write).finally(() => {
      for (const name of names) noteChange(this.#url, name)
    })
    try {
      const { data }: { data?: unknown } = JSON.parse(reply.kind === 'new' ? reply.text : '{}')
      if (isObject(data) && typeof data.unchanged === 'boolean')
        return { unchanged: data.unchanged, commit: (data.commit as ChangeResult['commit']) ?? null }
    } catch {
      // The error is thrown below.
    }
    throw new PromptHubError('unavailable', `${url} accepted the change, but did not respond like a hub.`)
  }
}

/** What a label points at: a version, and perhaps a second one for a share of callers. */
export interface Target {
  version: string
  split: { version: string; percent: number } | null
}

/** Options of moving a label. */
export interface LabelOptions {
  /** A second version for a share of callers, of 1 to 99 percent. */
  split?: Target['split']
  /** Why, which everyone can read in the activity. */
  reason?: string
  /** What it must point at now: its version, or that with its split; null if the label must not exist. */
  expected?: string | Target | null
}

/** @throws PromptHubError `unavailable` */
function readRows(text: string, url: string): Record<string, unknown>[] {
  try {
    const { data }: { data?: unknown } = JSON.parse(text)
    if (Array.isArray(data) && data.every(isObject)) return data
  } catch {
    // What is no JSON is no list either.
  }
  throw new PromptHubError('unavailable', `${url} did not return a list; is it a Prompt Hub?`)
}

/** Reads what a label was before its last change, and what that made of it. @throws PromptHubError `not_found`, and the errors of a request */
async function readLastMove(url: string, label: string, settings: RequestSettings) {
  const reply = await ask(url, undefined, settings)
  const move = readRows(reply.kind === 'new' ? reply.text : '', url).find((one) => one.label === label)
  if (move) return { before: targetOf(move.from, move.from_split), now: targetOf(move.to, move.to_split) }
  throw new PromptHubError('not_found', `no change of the label ${label} is known, so there is none to undo`)
}

const targetOf = (version: unknown, split: unknown): Target | null =>
  typeof version === 'string' ? { version, split: (split as Target['split'] | undefined) ?? null } : null

/** @throws PromptHubError `invalid_request`: an empty segment would be another path */
function labelOf(text: string): string {
  if (readWish(text)?.kind === 'label') return text
  throw invalid('label', 'a name such as production', text)
}

/** @throws PromptHubError `invalid_request` */
function versionOf(text: string): string {
  if (isVersion(text)) return text
  throw invalid('version', 'a version such as 1.2.0', text)
}

/** @throws PromptHubError `invalid_request` */
function resultPath(version: string, suite: string): string {
  if (!/^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/.test(suite)) throw invalid('suite', 'a name such as quality', suite)
  return `/versions/${versionOf(version)}/results/${suite}`
}

const invalid = (what: string, expected: string, text: string) =>
  new PromptHubError('invalid_request', `${what}: expected ${expected}, got ${JSON.stringify(text.slice(0, 60))}`)
