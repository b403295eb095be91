// Reads the table of the clients' commands, from which /docs/cli and the help of the clients are made.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Names the only program that has something; both have it without this. */
type Program = 'hubcli' | 'prompt-hub'

interface CommandOption {
  name: string
  /** What follows the option; absent if it takes no value. */
  value?: string
  says: string
  /** Whether it may be given more than once. */
  repeats?: boolean
  only?: Program
}

export interface Command {
  name: string
  /** Its arguments, one text for each form. */
  arguments: string[]
  says: string
  options: CommandOption[]
  only?: Program
}

interface CommandTable {
  shared_options: CommandOption[]
  groups: { name: string; commands: (Omit<Command, 'options'> & { options?: (string | CommandOption)[] })[] }[]
}

/** Reads the commands of a program, grouped by purpose. @param root the project's folder */
export async function readCommands(root: string, program: Program): Promise<{ name: string; commands: Command[] }[]> {
  const table = JSON.parse(await readFile(join(root, 'clients/commands.json'), 'utf8')) as CommandTable
  const shared = new Map(table.shared_options.map((option) => [option.name, option]))
  const isHere = ({ only = program }: { only?: Program }) => only === program
  return table.groups.map(({ name, commands }) => ({
    name,
    commands: commands.filter(isHere).map((command) => ({
      ...command,
      options: (command.options ?? [])
        .map((option) => (typeof option === 'string' ? shared.get(option)! : option))
        .filter(isHere),
    })),
  }))
}
