// Prints the help, from the table of commands that hubcli and this command share.
import { readFile } from 'node:fs/promises'

interface Option {
  name: string
  value?: string
  says: string
  only?: string
}

interface Entry {
  name: string
  arguments: string[]
  says: string
  options: (string | Option)[]
  only?: string
}

interface Table {
  shared_options: Option[]
  groups: { name: string; commands: Entry[] }[]
}

const WIDTH = 78
const END = `Environment
  HUB_URL      URL of the hub
  HUB_TOKEN    token for changes, and to read a private hub

Exit codes
  0 success   1 usage or local error   2 not found   3 not allowed
  4 rejected, or checksum mismatch   5 server or network error, or too many
  requests`

/** The text of the help. @param name that of a command; without it, lists all */
export async function helpOf(name?: string): Promise<string> {
  const { groups, shared_options } = await readTable()
  const shared = new Map(shared_options.map((option) => [option.name, option]))
  const isHere = ({ only = 'prompt-hub' }: { only?: string }) => only === 'prompt-hub'
  const named = groups.flatMap(({ commands }) => commands).find((each) => each.name === name && isHere(each))
  if (named) {
    const options = named.options.map((each) => (typeof each === 'string' ? shared.get(each)! : each)).filter(isHere)
    return [formsOf(named), wrap(named.says, 4), ...options.map(describeOption)].join('\n')
  }
  const shown = groups.map((group) => ({ ...group, commands: group.commands.filter(isHere) }))
  const texts = shown
    .filter(({ commands }) => commands.length > 0)
    .map((group) => [group.name, ...group.commands.map((each) => `${formsOf(each)}\n${wrap(each.says, 6)}`)].join('\n'))
  const head = 'prompt-hub: prompts as dependencies. Options of a command: prompt-hub help <command>'
  return [head, ...texts, END].join('\n\n')
}

/** The usage of a command, on one line. */
export async function usageOf(name: string): Promise<string> {
  const { groups } = await readTable()
  const found = groups.flatMap(({ commands }) => commands).find((each) => each.name === name)
  const forms = found?.arguments.map((each) => `prompt-hub ${name} ${each}`.trim()) ?? []
  return `usage: ${forms.join(', or: ')}; see: prompt-hub help ${name}`
}

/** The package has the table beside the modules, and the repository beside the clients. */
async function readTable(): Promise<Table> {
  const [own, shared] = ['../commands.json', '../../../commands.json'].map((path) => new URL(path, import.meta.url))
  const text = await readFile(own!, 'utf8').catch(() => readFile(shared!, 'utf8'))
  return JSON.parse(text)
}

const formsOf = ({ name, arguments: forms }: Entry) =>
  forms.map((form) => `  prompt-hub ${name} ${form}`.trimEnd()).join('\n')

function describeOption({ name, value, says }: Option): string {
  const option = `  ${name}${value === undefined ? '' : ` ${value}`}`
  return option.length < 24 ? `${option.padEnd(24)}${wrap(says, 24).trimStart()}` : `${option}\n${wrap(says, 24)}`
}

function wrap(text: string, indent: number): string {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1)!
    if (line !== '' && indent + line.length + 1 + word.length > WIDTH) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines.map((line) => ' '.repeat(indent) + line).join('\n')
}
