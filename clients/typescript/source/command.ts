#!/usr/bin/env node
// The command `prompt-hub`: adds to a lock, installs and verifies it, and generates types from it.
import { parseArgs } from 'node:util'
import { openLock, writeWhole } from './files.ts'
import { mendEnds } from './lock.ts'
import { PromptHubError } from './trouble.ts'
import { writeTypes } from './typing.ts'
import { addToLock, findChanged, findChangedEnds, installLock } from './vendoring.ts'

const HELP = `prompt-hub: prompts as dependencies

  prompt-hub add owner/name[@range or label] [-o path]   adds a prompt to prompts.lock
  prompt-hub install                                     installs the locked versions
  prompt-hub verify                                      compares the vendored files with prompts.lock, offline
  prompt-hub types [-o prompts.d.ts]                     generates types for the locked prompts

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
      help: { type: 'boolean' },
    },
  })
  const [command, name] = positionals
  if (values.help || command === undefined || command === 'help') return say(HELP.trimEnd())
  if (command === 'add' && name !== undefined) {
    const version = await addToLock(
      values.lock,
      { name, ...(values.output === undefined ? {} : { path: values.output }) },
      process.env.HUB_URL,
      complain,
    )
    return say(`${name.split('@')[0]} ${version}`)
  }
  if (command === 'install') return say(`${await installLock(values.lock)} written`)
  if (command === 'verify') return verify(values.lock)
  if (command === 'types') return types(values.lock, values.output ?? 'prompts.d.ts')
  throw new PromptHubError('invalid_request', `Unknown command. See: prompt-hub help`)
}

async function verify(path: string): Promise<void> {
  const { lock } = await openLock(path)
  const changed = await findChanged(path, lock)
  const [changedEnds] = await findChangedEnds(path, lock, changed)
  if (changed.length > 0)
    throw new PromptHubError(
      'integrity',
      `Not what prompts.lock says: ${changed.join(', ')}. ${changedEnds === undefined ? 'Restore them: prompt-hub install' : `Only the line endings differ: git changed them, as with core.autocrlf. ${mendEnds(changedEnds)}`}`,
    )
  say(`${Object.keys(lock.prompts).length} verified`)
}

async function types(path: string, output: string): Promise<void> {
  const { lock } = await openLock(path)
  const prompts = Object.entries(lock.prompts).map(([name, { details }]) => [name, details.variables] as const)
  await writeWhole(output, writeTypes(new Map(prompts)))
  say(`${output}: ${prompts.length} prompts`)
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
  process.exitCode = (error instanceof PromptHubError && EXIT[error.code]) || 1
}
