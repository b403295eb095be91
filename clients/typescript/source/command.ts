#!/usr/bin/env node
// The command `prompt-hub`. Its groups of commands are in commands/, and are loaded when one of them is used.
import type { Command } from './commands/define.ts'
import { complain, endWithReader, say } from './commands/terminal.ts'
import { PromptHubError } from './trouble.ts'

const project = () => import('./commands/project.ts')
const push = () => import('./commands/push.ts')

/** The commands, by group as the help shows them. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, () => Promise<Command>>>>> = {
  Publish: {
    push: async () => (await push()).pushCommand,
    check: async () => (await push()).checkCommand,
  },
  'Install prompts as dependencies': {
    add: async () => (await project()).addCommand,
    install: async () => (await project()).installCommand,
    verify: async () => (await project()).verifyCommand,
    outdated: async () => (await project()).outdatedCommand,
    update: async () => (await project()).updateCommand,
    remove: async () => (await project()).removeCommand,
    audit: async () => (await project()).auditCommand,
    types: async () => (await project()).typesCommand,
  },
}

const ENVIRONMENT = `Environment
  HUB_URL     the URL of the hub
  HUB_TOKEN   a token for changes, and to read a private hub

Exit codes: 0 success, 1 usage or local error, 2 not found, 3 not allowed, 4 rejected, or checksum mismatch,
5 server or network error, or too many requests
`

/** The exit code of each error code, as in hubcli; any other error is 1. */
const EXIT: Partial<Record<string, number>> = { not_found: 2, refused: 4, integrity: 4, unavailable: 5 }

async function main([name, ...words]: string[]): Promise<void> {
  if (name === undefined || ['help', '-h', '--help'].includes(name)) return help(words[0])
  const found = findCommand(name)
  if (!found) throw new PromptHubError('invalid_request', 'Unknown command. See: prompt-hub help')
  const options = words.slice(0, words.includes('--') ? words.indexOf('--') : undefined)
  if (options.includes('-h') || options.includes('--help')) return help(name)
  await (await found()).run(words)
}

function findCommand(name: string): (() => Promise<Command>) | undefined {
  return Object.values(GROUPS).find((group) => Object.hasOwn(group, name))?.[name]
}

/** @param name that of a command; without it, lists all */
async function help(name: string | undefined): Promise<void> {
  const found = name === undefined ? undefined : findCommand(name)
  if (found) return say(describe(await found()).trimEnd())
  const groups = Object.entries(GROUPS).map(async ([title, group]) => {
    const commands = await Promise.all(Object.values(group).map((open) => open()))
    return `${title}\n${commands.map(describe).join('')}`
  })
  say(['prompt-hub: prompts as dependencies\n', ...(await Promise.all(groups)), ENVIRONMENT.trimEnd()].join('\n'))
}

function describe({ usage, about }: Command): string {
  const lines = [...about.matchAll(/(\S.{0,68}\S|\S)(?=\s|$)/g)].map(([line]) => `      ${line}\n`)
  return `  prompt-hub ${usage}\n${lines.join('')}`
}

endWithReader()
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
