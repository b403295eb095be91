// Defines the commands: how their words are parsed. Their help is in clients/commands.json.
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { PromptHubError } from '../trouble.ts'

type Given<Options extends ParseArgsOptionsConfig> = ReturnType<typeof parseArgs<{ options: Options }>>['values']

/** A command. */
export interface Command {
  /** Its options, as in the table of commands: `-o`, `--json`. */
  options: string[]
  /** Runs it. @param words what follows its name @throws WrongUse, or the error of the command */
  run(words: string[]): Promise<void>
}

/** An option without a value. */
export const flag = { type: 'boolean', default: false } as const

interface Definition<Options extends ParseArgsOptionsConfig> {
  options: Options
  /** How many arguments there may be, options left out. */
  takes: readonly [least: number, most: number]
  run(positionals: string[], values: Given<Options>): Promise<void> | void
}

/** What a command line has in place of what the command takes; its usage follows. */
export class WrongUse extends Error {}

/** Defines a command. */
export function define<const Options extends ParseArgsOptionsConfig>(definition: Definition<Options>): Command {
  const { options, takes, run } = definition
  return {
    options: Object.entries(options).map(([name, { short }]) => (short === undefined ? `--${name}` : `-${short}`)),
    async run(words) {
      const { positionals, values } = parse(words, options)
      if (positionals.length < takes[0] || positionals.length > takes[1]) throw new WrongUse()
      await run(positionals, values)
    },
  }
}

function parse<Options extends ParseArgsOptionsConfig>(args: string[], options: Options) {
  try {
    const { positionals, values } = parseArgs({ args, options, allowPositionals: true })
    return { positionals, values: values as Given<Options> }
  } catch (error) {
    // The sentences of Node.js go on with advice that is longer than the usage.
    const [sentence = ''] = error instanceof Error ? error.message.split(/\. (?=To specify)|\n/) : []
    throw new WrongUse(sentence, { cause: error })
  }
}

/** An error about what a user typed. */
export function invalid(message: string): PromptHubError {
  return new PromptHubError('invalid_request', message)
}
