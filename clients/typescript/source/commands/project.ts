// The commands of a project with prompts.lock: they change, install, verify and compare it, and generate types from it.
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { AGENTS, isAgent } from '../agents.ts'
import type { SignatureOptions } from '../attested.ts'
import { DENIABLE } from '../capabilities.ts'
import type { ChangedPrompt } from '../changing.ts'
import { openLock, readLockFile, writeWhole } from '../files.ts'
import { parseDays, WITHIN_DAYS } from '../lifetime.ts'
import { findDifferences, sayDifference } from '../placed.ts'
import { PromptHub } from '../prompt-hub.ts'
import { isNewer } from '../ranges.ts'
import { mapRequests } from '../requests.ts'
import { auditProblems, describeBreaking, type Problem, type Reviewed } from '../review.ts'
import { PromptHubError } from '../trouble.ts'
import { isTypesFile, writeTypes } from '../typing.ts'
import { removeFromLock, reviewLock, updateLock } from '../updating.ts'
import { addToLock, installLock } from '../vendoring.ts'
import { type Command, define, flag, invalid } from './define.ts'
import { readVersionPages } from './hub.ts'
import { enterProject } from './lock-place.ts'
import { complain, note, say, sayJson, sayTable } from './terminal.ts'

const TYPES = 'prompts.d.ts'
const MOST = 10_000
const LOCK = 'prompts.lock'
const lock = { type: 'string' } as const
const output = { type: 'string', short: 'o' } as const
const kinds = { type: 'string' } as const
const signatures = { 'trusted-root': { type: 'string' }, 'skip-signatures': flag } as const
const minAge = { type: 'string', default: '0d' } as const

/** `add`. */
export const addCommand: Command = define({
  takes: [1, MOST],
  options: {
    lock,
    output,
    as: { type: 'string' },
    agent: { type: 'string' },
    'keep-permissions': flag,
    deny: kinds,
    allow: kinds,
    json: flag,
  },
  async run(words, { lock, output, as, agent, 'keep-permissions': keepsPermissions, deny, allow, json }) {
    if (as !== undefined && as !== 'skill') throw invalid(`--as: expected skill, got ${as || 'nothing'}`)
    if (agent !== undefined && !isAgent(agent))
      throw invalid(`--agent: expected ${Object.keys(AGENTS).join(', ')}, got ${agent || 'nothing'}`)
    if (keepsPermissions && as === undefined && agent === undefined)
      throw invalid(
        '--keep-permissions: expected --as skill or --agent beside it, because only a skill asks for permissions',
      )
    if (agent !== undefined && output !== undefined) throw invalid('--agent and -o: expected one of them')
    if (output !== undefined && words.length > 1)
      throw invalid('-o: expected one prompt, because each needs a path of its own')
    const { path, translate } = await place(lock)
    const names = (await Promise.all(words.map((word) => listAdded(path, word)))).flat()
    if (output !== undefined && names.length > 1)
      throw invalid('-o: expected one prompt, because each needs a path of its own')
    const where = { ...(output !== undefined && { path: translate(output) }), ...(agent && { agent }) }
    const kept = keepsPermissions && { keepsPermissions }
    const additions = names.map((name) => ({ name, ...where, ...kept, isSkill: as === 'skill' }))
    const denying = { deny: parseKinds(deny, '--deny'), allow: parseKinds(allow, '--allow') }
    showChanged(await addToLock(path, additions, process.env.HUB_URL, complain, denying), json)
  },
})

/** Reads a list of kinds of capability. */
function parseKinds(text: string | undefined, option: string): string[] {
  if (text === undefined) return []
  const given = text.split(',')
  const unknown = given.find((kind) => !DENIABLE.includes(kind))
  if (unknown !== undefined) throw invalid(`${option}: expected ${DENIABLE.join(', ')}, got ${unknown || 'nothing'}`)
  return given
}

/** Prints what was changed. */
function showChanged(changed: readonly ChangedPrompt[], isJson: boolean): void {
  if (isJson) {
    sayJson({ changed })
    return
  }
  for (const { name, from, version, paths } of changed)
    for (const path of paths) say(`${name} ${from === null || from === version ? '' : `${from} -> `}${version} ${path}`)
}

/** Where the lock is. */
async function place(lock: string | undefined): Promise<{ path: string; translate: (path: string) => string }> {
  return { path: lock ?? LOCK, translate: lock === undefined ? await enterProject() : (path) => path }
}

/** What is checked of signatures. */
function parseSignatures(
  { 'trusted-root': root, 'skip-signatures': skipSignatures }: { 'trusted-root'?: string; 'skip-signatures'?: boolean },
  translate: (path: string) => string,
): SignatureOptions {
  if (root === '') throw invalid('--trusted-root: expected a path, got nothing')
  return { trustedRoot: root && translate(root), ...(skipSignatures && { skipSignatures }) }
}

/** Lists the prompts of an addition such as `acme/*@production`. */
async function listAdded(lock: string, word: string): Promise<string[]> {
  const [, owner, label] = /^([^/@]+)\/\*(?:@(.*))?$/.exec(word) ?? []
  if (owner === undefined) return [word]
  if (label === undefined) throw invalid(`expected '<owner>/*@<label>', such as 'acme/*@production', got ${word}`)
  const url = (await readLockFile(lock))?.hub ?? process.env.HUB_URL
  const found = await new PromptHub(url === undefined ? {} : { url }).all(owner, label)
  if (found.length === 0) throw new PromptHubError('not_found', `${owner} has no prompt with the label ${label}`)
  return found.map(({ name }) => `${name}@${label}`)
}

/** `install`. */
export const installCommand: Command = define({
  takes: [0, 0],
  options: { lock, force: flag, 'require-attestation': flag, ...signatures, json: flag },
  async run(_, { lock, force, 'require-attestation': isAttested, json, ...given }) {
    const { path, translate } = await place(lock)
    const options = { isForced: force, isAttested, ...parseSignatures(given, translate), say: complain }
    showChanged(await installLock(path, options), json)
  },
})

/** `verify`. */
export const verifyCommand: Command = define({
  takes: [0, 0],
  options: { lock, online: flag, json: flag },
  run: async (_, { lock, online, json }) => verify((await place(lock)).path, online, json),
})

/** `outdated`. */
export const outdatedCommand: Command = define({
  takes: [0, 0],
  options: { lock, 'min-age': minAge, json: flag, header: flag },
  async run(_, { lock, 'min-age': age, json, header }) {
    const { path } = await place(lock)
    const reviewed = await reviewLock(path, [], { minAgeDays: parseDays(age, '--min-age') })
    const old = reviewed.filter(isOutdated)
    if (json) sayJson(await describeOutdated(path, reviewed))
    else showOutdated(reviewed, old, header)
    // As npm does.
    if (old.length > 0) process.exitCode = 1
  },
})

/** `update`. */
export const updateCommand: Command = define({
  takes: [0, MOST],
  options: {
    lock,
    'min-age': minAge,
    'accept-publisher': flag,
    ...signatures,
    deny: kinds,
    allow: kinds,
    json: flag,
  },
  async run(names, { lock, 'min-age': age, 'accept-publisher': acceptPublisher, deny, allow, json, ...given }) {
    const denying = { deny: parseKinds(deny, '--deny'), allow: parseKinds(allow, '--allow') }
    const minAgeDays = parseDays(age, '--min-age')
    const { path, translate } = await place(lock)
    const options = { minAgeDays, acceptPublisher, ...parseSignatures(given, translate), ...denying }
    const { reviewed: all, changed, blocked, unverified } = await updateLock(path, names, options)
    if (unverified !== undefined) complain(`note: ${unverified}`)
    for (const reviewed of all) {
      const said = (isAdded: boolean) =>
        reviewed.problems.filter(({ kind }) => (kind === 'capabilities') === isAdded).map(({ message }) => message)
      for (const sentence of [...said(false), ...describeBreaking(reviewed, reviewed.wanted), ...said(true)])
        complain(`warning: ${sentence}`)
    }
    showChanged(changed, json)
    for (const { message } of blocked.slice(0, -1)) complain(message)
    const last = blocked.at(-1)
    if (last) throw last
  },
})

/** `remove`. */
export const removeCommand: Command = define({
  takes: [1, MOST],
  options: { lock, output, json: flag },
  async run(names, { lock, output, json }) {
    const { path: lockPath, translate } = await place(lock)
    const only = output === undefined ? undefined : translate(output)
    showChanged(await removeFromLock(lockPath, names, complain, only), json)
  },
})

/** `audit`. */
export const auditCommand: Command = define({
  takes: [0, 0],
  options: { lock, within: { type: 'string', default: `${WITHIN_DAYS}d` }, json: flag },
  async run(_, { lock, within, json }) {
    const { path } = await place(lock)
    const { prompts } = (await openLock(path)).lock
    const problems = await findAudited(path, { withinDays: parseDays(within, '--within') })
    report(problems, Object.keys(prompts).length, json, 'audited')
  },
})

/** Asks the hub about the locked versions; with a time for models, also about what they include. */
async function findAudited(path: string, options: { withinDays?: number } = {}): Promise<JsonProblem[]> {
  return (await reviewLock(path, [], options)).flatMap((each) => {
    const counts = new Set(auditProblems(each))
    return each.problems.filter(({ message }) => counts.has(message)).map((problem) => toJson(each.name, problem))
  })
}

/** `types`. */
export const typesCommand: Command = define({
  takes: [0, 0],
  options: { lock, output, check: flag },
  async run(_, { lock, output, check }) {
    const { path, translate } = await place(lock)
    await types(path, output === undefined ? TYPES : translate(output), check)
  },
})

/** A problem, as in the JSON of a report. docs/hubcli.md */
export interface JsonProblem {
  name: string
  problem: string
  message: string
}

const toJson = (name: string, { kind, message }: Problem): JsonProblem => ({ name, problem: kind, message })

const isOutdated = ({ locked, wanted, latest }: Reviewed) =>
  [wanted, latest ?? wanted].some((version) => version !== locked.version)

/** What is said beside the list of newer versions. */
const noticesIn = ({ name, problems }: Reviewed) =>
  problems.filter(({ kind }) => kind !== 'advisory').map((problem) => toJson(name, problem))

function showOutdated(reviewed: readonly Reviewed[], old: readonly Reviewed[], hasHead: boolean): void {
  for (const { message } of reviewed.flatMap(noticesIn)) complain(`warning: ${message}`)
  const rows = old.map(({ name, locked, wanted, latest }) => [
    name,
    locked.version,
    wanted,
    latest ?? '-',
    locked.range,
  ])
  sayTable(['NAME', 'LOCKED', 'WANTED', 'LATEST', 'RANGE'], rows, hasHead)
  for (const sentence of old.flatMap((each) => describeBreaking(each))) complain(`warning: ${sentence}`)
}

/** A prompt with newer versions, as in the JSON of `outdated`. */
export interface OutdatedRow {
  name: string
  range: string
  version: string
  wanted: string
  latest: string | null
  paths: string[]
  changes: { version: string; changelog: string; yanked: boolean; breaking: readonly string[] }[]
}

/** The list of newer versions as JSON, with the changelogs of those that an update would take. */
export async function describeOutdated(
  lock: string,
  reviewed: readonly Reviewed[],
): Promise<{ outdated: OutdatedRow[]; problems: JsonProblem[] }> {
  const { hub } = (await openLock(lock)).lock
  const rows = await mapRequests(reviewed.filter(isOutdated), async ({ name, locked, wanted, latest, breaking }) => {
    const { range, version, places } = locked
    const changes = (await readVersionPages(hub, name))
      .map((row) => ({
        version: String(row.version),
        changelog: typeof row.changelog === 'string' ? row.changelog : '',
        yanked: row.yanked === true,
        breaking: breaking.find((each) => each.version === row.version)?.reasons ?? [],
      }))
      .filter((row) => isNewer(row.version, version) && !isNewer(row.version, wanted))
    return { name, range, version, wanted, latest: latest ?? null, paths: places.map(({ path }) => path), changes }
  })
  return { outdated: rows, problems: reviewed.flatMap(noticesIn) }
}

async function verify(path: string, isOnline: boolean, isJson: boolean): Promise<void> {
  const { lock } = await openLock(path)
  const folder = dirname(resolve(path))
  const prompts = Object.entries(lock.prompts)
  const found = await Promise.all(
    prompts.map(async ([name, locked]): Promise<JsonProblem[]> => {
      const differences = await findDifferences(folder, locked)
      return differences.map(({ place, difference }) => {
        const problem = difference.kind === 'missing' ? 'missing' : 'changed'
        return { name, problem, message: sayDifference(place, difference) }
      })
    }),
  )
  const problems = [...found.flat(), ...(isOnline ? await findAudited(path) : [])]
  const there = await readFile(TYPES, 'utf8').catch(() => undefined)
  if (problems.length === 0 && there !== undefined && isTypesFile(there)) await types(path, TYPES, true, false)
  report(problems, prompts.length, isJson, 'verified')
}

/** Prints problems. @throws PromptHubError `integrity` with the last one */
function report(problems: readonly JsonProblem[], prompts: number, isJson: boolean, verb: string): void {
  if (isJson) sayJson({ ok: problems.length === 0, prompts, problems })
  for (const { message } of problems.slice(0, -1)) complain(message)
  const last = problems.at(-1)
  if (last) throw new PromptHubError('integrity', last.message)
  if (!isJson) note(`${prompts} ${verb}`)
}

async function types(path: string, output: string, isCheck: boolean, isSaid = true): Promise<void> {
  const { lock } = await openLock(path)
  const prompts = Object.entries(lock.prompts).map(([name, { details }]) => [name, details.variables] as const)
  const text = writeTypes(new Map(prompts))
  if (!isCheck) await writeWhole(output, text)
  else if ((await readFile(output, 'utf8').catch(() => undefined)) !== text)
    throw new PromptHubError(
      'integrity',
      `${output} does not match prompts.lock. Generate it again: prompt-hub types${output === TYPES ? '' : ` -o ${output}`}`,
    )
  if (isSaid) say(`${output}: ${prompts.length} prompts`)
}
