// The commands by name.
import type { Command } from './define.ts'

const manage = () => import('./manage.ts')
const project = () => import('./project.ts')
const push = () => import('./push.ts')
const read = () => import('./read.ts')

const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  pull: async () => (await read()).pullCommand,
  cat: async () => (await read()).catCommand,
  render: async () => (await read()).renderCommand,
  export: async () => (await import('./export.ts')).exportCommand,
  search: async () => (await read()).searchCommand,
  versions: async () => (await read()).versionsCommand,
  push: async () => (await push()).pushCommand,
  check: async () => (await push()).checkCommand,
  import: async () => (await import('./import.ts')).importCommand,
  recompose: async () => (await import('./recompose.ts')).recomposeCommand,
  init: async () => (await import('./init.ts')).initCommand,
  result: async () => (await manage()).resultCommand,
  label: async () => (await manage()).labelCommand,
  yank: async () => (await manage()).yankCommand,
  unyank: async () => (await manage()).unyankCommand,
  deprecate: async () => (await manage()).deprecateCommand,
  readme: async () => (await manage()).readmeCommand,
  edit: async () => (await manage()).editCommand,
  add: async () => (await project()).addCommand,
  install: async () => (await project()).installCommand,
  verify: async () => (await project()).verifyCommand,
  outdated: async () => (await project()).outdatedCommand,
  update: async () => (await project()).updateCommand,
  remove: async () => (await project()).removeCommand,
  audit: async () => (await project()).auditCommand,
  types: async () => (await project()).typesCommand,
}

/** The names of the commands. */
export const COMMAND_NAMES: readonly string[] = Object.keys(COMMANDS)

/** @returns undefined if there is no such command */
export const openCommand = async (name: string): Promise<Command | undefined> =>
  Object.hasOwn(COMMANDS, name) ? COMMANDS[name]!() : undefined
