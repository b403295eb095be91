#!/usr/bin/env node
// The command `prompt-hub`. Its groups of commands are in commands/, and are loaded when one of them is used. Their help is in the table that it shares with hubcli.
import { openCommand } from './commands/all.ts'
import { WrongUse } from './commands/define.ts'
import { helpOf, usageOf } from './commands/help.ts'
import { complain, endAfterSignals, endWithReader, say } from './commands/terminal.ts'
import { PromptHubError } from './trouble.ts'

/** The exit code of each error code, as in hubcli; any other error is 1. */
const EXIT: Partial<Record<string, number>> = { not_found: 2, refused: 4, integrity: 4, unavailable: 5 }

async function main([name, ...words]: string[]): Promise<void> {
  if (name === undefined || ['help', '-h', '--help'].includes(name)) return say(await helpOf(words[0]))
  const command = await openCommand(name)
  if (!command) throw new PromptHubError('invalid_request', 'Unknown command. See: prompt-hub help')
  const options = words.slice(0, words.includes('--') ? words.indexOf('--') : undefined)
  if (options.includes('-h') || options.includes('--help')) return say(await helpOf(name))
  await command.run(words).catch(async (error: unknown) => {
    if (!(error instanceof WrongUse)) throw error
    const usage = await usageOf(name)
    throw new PromptHubError('invalid_request', error.message === '' ? usage : `${error.message}; ${usage}`)
  })
}

endWithReader()
endAfterSignals()
try {
  await main(process.argv.slice(2))
} catch (error) {
  const sentence = error instanceof Error ? error.message : String(error)
  // A file system error happens before anything is changed, or the changes have been rolled back.
  complain(`${sentence}${error instanceof PromptHubError ? '' : '; nothing was changed'}`)
  const isForbidden = error instanceof PromptHubError && (error.status === 401 || error.status === 403)
  process.exitCode = isForbidden
    ? 3
    : (error instanceof PromptHubError && Object.hasOwn(EXIT, error.code) && EXIT[error.code]) || 1
}
