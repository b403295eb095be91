// Defines the commands: their help, and how their words are parsed.
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { PromptHubError } from '../trouble.ts'

/** What a user typed after the name of a command. */
type Given<Options extends ParseArgsOptionsConfig> = ReturnType<typeof parseArgs<{ options: Options }>>['values']

/** A command. */
export interface Command {
  /** Its names and arguments, such as `verify [--lock <path>]`. */
  usage: string
  /** What it does, in sentences. */
  about: string
  /** Runs it. @param words what follows its name */
  run(words: string[]): Promise<void>
}

interface Definition<Options extends ParseArgsOptionsConfig> {
  usage: string
  about: string
  options: Options
  /** How many arguments there may be, options left out. */
  takes: readonly [least: number, most: number]
  run(positionals: string[], values: Given<Options>): Promise<void> | void
}

/** Defines a command. */
export function define<const Options extends ParseArgsOptionsConfig>(definition: Definition<Options>): Command {
  const { usage, about, options, takes, run } = definition
  return {
    usage,
    about,
    async run(words) {
      const { positionals, values } = parse(words, options, usage)
      if (positionals.length < takes[0] || positionals.length > takes[1]) throw wrongUse(usage)
      await run(positionals, values)
    },
  }
}

function parse<Options extends ParseArgsOptionsConfig>(args: string[], options: Options, usage: string) {
  try {
    const { positionals, values } = parseArgs({ args, options, allowPositionals: true })
    return { positionals, values: values as Given<Options> }
  } catch (error) {
    // The sentences of Node.js go on with advice that is longer than the usage.
    const [sentence = ''] = error instanceof Error ? error.message.split(/\. (?=To specify)|\n/) : []
    throw new PromptHubError('invalid_request', `${sentence}; usage: prompt-hub ${usage}`, { cause: error })
  }
}

/** An error that shows the usage of a command. */
export function wrongUse(usage: string): PromptHubError {
  return new PromptHubError('invalid_request', `usage: prompt-hub ${usage}`)
}

/** An error about what a user typed. */
export function invalid(message: string): PromptHubError {
  return new PromptHubError('invalid_request', message)
}
