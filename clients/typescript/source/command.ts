#!/usr/bin/env node
// The command `prompt-hub`: changes, installs, verifies and compares a lock, and generates types from it.
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { openLock, writeWhole } from './files.ts'
import { parseDays, WITHIN_DAYS } from './lifetime.ts'
import { findDifference, sayDifference } from './placed.ts'
import { auditProblems, describeBreaking, type Reviewed } from './review.ts'
import { PromptHubError } from './trouble.ts'
import { isTypesFile, writeTypes } from './typing.ts'
import { removeFromLock, reviewLock, type UpdateOptions, updateLock } from './updating.ts'
import { addToLock, installLock } from './vendoring.ts'

const TYPES = 'prompts.d.ts'
const HELP = `prompt-hub: prompts as dependencies

  prompt-hub add owner/name[@range or label]... [-o path]   adds prompts to prompts.lock, and their files
  prompt-hub install [--force]             installs the locked versions; --force replaces files changed by hand;
                                           --require-attestation fails if a version has none
  prompt-hub verify                        compares the vendored files with prompts.lock, offline
  prompt-hub outdated                      lists prompts that have newer versions; exits with 1 if there are any
  prompt-hub update [owner/name]...        updates prompts to the newest version in their range; --min-age 7d takes only
                                           versions that have been out for that long, also for outdated;
                                           --accept-publisher also takes those of another workflow
  prompt-hub remove owner/name...          removes prompts from prompts.lock, and their files
  prompt-hub audit [--within 30d]          fails if a locked version was yanked, has an advisory, or names a model that
                                           has retired or retires within that time
  prompt-hub types [-o ${TYPES}] [--check]   generates types for the locked prompts; --check only compares the file

  --lock path   the lock file; default: prompts.lock
  HUB_URL       the URL of the hub, if there is no lock file yet
`

/** The exit code of each error code, as in hubcli; any other error is 1. */
const EXIT: Partial<Record<string, number>> = { not_found: 2, refused: 4, integrity: 4, unavailable: 5 }

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      lock: { type: 'string', default: 'prompts.lock' },
      output: { type: 'string', short: 'o' },
      force: { type: 'boolean', default: false },
      'require-attestation': { type: 'boolean', default: false },
      'accept-publisher': { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      'min-age': { type: 'string', default: '0d' },
      within: { type: 'string', default: `${WITHIN_DAYS}d` },
      help: { type: 'boolean' },
    },
  })
  const [command, ...names] = positionals
  const { lock, output } = values
  const minAgeDays = parseDays(values['min-age'], '--min-age')
  if (values.help || command === undefined || command === 'help') return say(HELP.trimEnd())
  if (command === 'add' && names.length > 0) return add(lock, names, output)
  if (command === 'update') return update(lock, names, { minAgeDays, acceptPublisher: values['accept-publisher'] })
  if (command === 'remove' && names.length > 0) {
    for (const [name, { version, path }] of await removeFromLock(lock, names, complain))
      say(`${name} ${version} ${path}`)
    return
  }
  if (names.length > 0 || ['add', 'remove'].includes(command))
    throw new PromptHubError(
      'invalid_request',
      `${command}: ${names.length > 0 ? `unexpected ${names[0]}` : 'expected owner/name'}. See: prompt-hub help`,
    )
  if (command === 'install')
    return say(`${await installLock(lock, values.force, values['require-attestation'])} written`)
  if (command === 'verify') return verify(lock)
  if (command === 'outdated') return outdated(await reviewLock(lock, [], { minAgeDays }))
  if (command === 'audit')
    return audit(await reviewLock(lock, [], { withinDays: parseDays(values.within, '--within') }))
  if (command === 'types') return types(lock, output ?? TYPES, values.check)
  throw new PromptHubError('invalid_request', `Unknown command. See: prompt-hub help`)
}

async function add(lock: string, names: string[], output: string | undefined): Promise<void> {
  if (output !== undefined && names.length > 1)
    throw new PromptHubError('invalid_request', '-o: expected one prompt, because each needs a path of its own')
  const additions = names.map((name) => ({ name, ...(output === undefined ? {} : { path: output }) }))
  const versions = await addToLock(lock, additions, process.env.HUB_URL, complain)
  for (const [index, name] of names.entries()) say(`${name.split('@')[0]} ${versions[index]}`)
}

async function update(lock: string, names: string[], options: UpdateOptions): Promise<void> {
  for (const reviewed of await updateLock(lock, names, options)) {
    const { name, locked, wanted, problems } = reviewed
    for (const sentence of [...problems.map(({ message }) => message), ...describeBreaking(reviewed, wanted)])
      complain(`warning: ${sentence}`)
    if (wanted !== locked.version) say(`${name} ${locked.version} -> ${wanted} ${locked.path}`)
  }
}

/** Prints a table, and exits with 1 if anything is outdated, as npm does. */
function outdated(reviewed: Reviewed[]): void {
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

function audit(reviewed: Reviewed[]): void {
  const problems = reviewed.flatMap(auditProblems)
  for (const problem of problems) complain(problem)
  if (problems.length > 0) process.exitCode = EXIT.integrity
  else say(`${reviewed.length} audited`)
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
  for (const problem of problems) complain(problem)
  if (problems.length > 0) {
    process.exitCode = EXIT.integrity
    return
  }
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

function complain(sentence: string): void {
  process.stderr.write(`prompt-hub: ${sentence}\n`)
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

try {
  await main()
} catch (error) {
  const sentence = error instanceof Error ? error.message : String(error)
  // A file system error happens before anything is changed, or the changes have been rolled back.
  complain(`${sentence}${error instanceof PromptHubError ? '' : '; nothing was changed'}`)
  const isForbidden = error instanceof PromptHubError && (error.status === 401 || error.status === 403)
  process.exitCode = isForbidden
    ? 3
    : (error instanceof PromptHubError && Object.hasOwn(EXIT, error.code) && EXIT[error.code]) || 1
}
