// The commands of a project with prompts.lock: they change, install, verify and compare it, and generate types from it.
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { openLock, writeWhole } from '../files.ts'
import { parseDays, WITHIN_DAYS } from '../lifetime.ts'
import { findDifference, sayDifference } from '../placed.ts'
import { auditProblems, describeBreaking, type Reviewed } from '../review.ts'
import { PromptHubError } from '../trouble.ts'
import { isTypesFile, writeTypes } from '../typing.ts'
import { removeFromLock, reviewLock, updateLock } from '../updating.ts'
import { addToLock, installLock } from '../vendoring.ts'
import { type Command, define, invalid } from './define.ts'
import { complain, say } from './terminal.ts'

const TYPES = 'prompts.d.ts'
const MOST = 10_000
const lock = { type: 'string', default: 'prompts.lock' } as const
const output = { type: 'string', short: 'o' } as const
const minAge = { type: 'string', default: '0d' } as const
const flag = { type: 'boolean', default: false } as const

/** `add`. */
export const addCommand: Command = define({
  usage: 'add <owner>/<name>[@<range or label>]... [-o <path>]',
  about:
    'Adds prompts to prompts.lock, and their files. HUB_URL is the URL of the hub, if there is no lock file yet. --lock names another lock file, also for the other commands of this list.',
  takes: [1, MOST],
  options: { lock, output },
  async run(names, { lock, output }) {
    if (output !== undefined && names.length > 1)
      throw invalid('-o: expected one prompt, because each needs a path of its own')
    const additions = names.map((name) => ({ name, ...(output === undefined ? {} : { path: output }) }))
    const versions = await addToLock(lock, additions, process.env.HUB_URL, complain)
    for (const [index, name] of names.entries()) say(`${name.split('@')[0]} ${versions[index]}`)
  },
})

/** `install`. */
export const installCommand: Command = define({
  usage: 'install [--force] [--require-attestation]',
  about:
    'Installs the locked versions. --force replaces files changed by hand. --require-attestation fails if a version has none.',
  takes: [0, 0],
  options: { lock, force: flag, 'require-attestation': flag },
  async run(_, { lock, force, 'require-attestation': isAttested }) {
    say(`${await installLock(lock, force, isAttested)} written`)
  },
})

/** `verify`. */
export const verifyCommand: Command = define({
  usage: 'verify',
  about: 'Compares the vendored files with prompts.lock, offline.',
  takes: [0, 0],
  options: { lock },
  run: async (_, { lock }) => verify(lock),
})

/** `outdated`. */
export const outdatedCommand: Command = define({
  usage: 'outdated [--min-age <days>d]',
  about: 'Lists prompts that have newer versions; exits with 1 if there are any.',
  takes: [0, 0],
  options: { lock, 'min-age': minAge },
  async run(_, { lock, 'min-age': age }) {
    showOutdated(await reviewLock(lock, [], { minAgeDays: parseDays(age, '--min-age') }))
  },
})

/** `update`. */
export const updateCommand: Command = define({
  usage: 'update [<owner>/<name>]... [--min-age <days>d] [--accept-publisher]',
  about:
    'Updates prompts to the newest version in their range. --min-age 7d takes only versions that have been out for that long. --accept-publisher also takes those of another workflow.',
  takes: [0, MOST],
  options: { lock, 'min-age': minAge, 'accept-publisher': flag },
  async run(names, { lock, 'min-age': age, 'accept-publisher': acceptPublisher }) {
    const options = { minAgeDays: parseDays(age, '--min-age'), acceptPublisher }
    for (const reviewed of await updateLock(lock, names, options)) {
      const { name, locked, wanted, problems } = reviewed
      for (const sentence of [...problems.map(({ message }) => message), ...describeBreaking(reviewed, wanted)])
        complain(`warning: ${sentence}`)
      if (wanted !== locked.version) say(`${name} ${locked.version} -> ${wanted} ${locked.path}`)
    }
  },
})

/** `remove`. */
export const removeCommand: Command = define({
  usage: 'remove <owner>/<name>...',
  about: 'Removes prompts from prompts.lock, and their files.',
  takes: [1, MOST],
  options: { lock },
  async run(names, { lock }) {
    for (const [name, { version, path }] of await removeFromLock(lock, names, complain))
      say(`${name} ${version} ${path}`)
  },
})

/** `audit`. */
export const auditCommand: Command = define({
  usage: 'audit [--within <days>d]',
  about:
    'Fails if a locked version was yanked, has an advisory, or names a model that has retired or retires within 30 days, or the given time.',
  takes: [0, 0],
  options: { lock, within: { type: 'string', default: `${WITHIN_DAYS}d` } },
  async run(_, { lock, within }) {
    const reviewed = await reviewLock(lock, [], { withinDays: parseDays(within, '--within') })
    const problems = reviewed.flatMap(auditProblems)
    for (const problem of problems.slice(0, -1)) complain(problem)
    const last = problems.at(-1)
    if (last !== undefined) throw new PromptHubError('integrity', last)
    say(`${reviewed.length} audited`)
  },
})

/** `types`. */
export const typesCommand: Command = define({
  usage: `types [-o ${TYPES}] [--check]`,
  about: 'Generates types for the locked prompts; --check only compares the file.',
  takes: [0, 0],
  options: { lock, output, check: flag },
  run: async (_, { lock, output = TYPES, check }) => types(lock, output, check),
})

/** Prints a table, and exits with 1 if anything is outdated, as npm does. */
function showOutdated(reviewed: Reviewed[]): void {
  for (const { problems } of reviewed)
    for (const { kind, message } of problems) if (kind !== 'advisory') complain(`warning: ${message}`)
  const old = reviewed.filter(({ locked, wanted, latest }) =>
    [wanted, latest ?? wanted].some((version) => version !== locked.version),
  )
  for (const each of old) {
    const { name, locked, wanted, latest } = each
    say([name, locked.version, wanted, latest ?? '-', locked.range].join('  '))
    for (const sentence of describeBreaking(each)) complain(`warning: ${sentence}`)
  }
  if (old.length > 0) process.exitCode = 1
}

async function verify(path: string): Promise<void> {
  const { lock } = await openLock(path)
  const folder = dirname(resolve(path))
  const found = await Promise.all(
    Object.values(lock.prompts).map(async (locked) => {
      const difference = await findDifference(folder, locked)
      return difference ? [sayDifference(locked, difference)] : []
    }),
  )
  const problems = found.flat()
  for (const problem of problems.slice(0, -1)) complain(problem)
  const last = problems.at(-1)
  if (last !== undefined) throw new PromptHubError('integrity', last)
  const there = await readFile(TYPES, 'utf8').catch(() => undefined)
  if (there !== undefined && isTypesFile(there)) await types(path, TYPES, true, false)
  say(`${Object.keys(lock.prompts).length} verified`)
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
