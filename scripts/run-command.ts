// Runs a command of package.json: reads its options, and turns a failure into a message for a person, not a stack trace.
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { HubError } from '../src/domain/api/errors.ts'
import { withoutControls } from '../src/domain/text/printable.ts'
import { describeError } from '../src/log.ts'

/**
 * The options of a command, as `parseArgs` takes them, without `--help`, which every command has. The usage is printed after every failure, and the help, by default the usage, by `--help`. Without a usage, the help follows the message about a wrong option. `status` is the exit status of a failure.
 */
type Command = Pick<ParseArgsConfig, 'options' | 'allowPositionals'> & { status?: number } & (
    | { usage: string; help?: string }
    | { usage?: undefined; help: string }
  )

/** Runs the work of a command with its arguments. If it fails, prints why and, unless the hub is not set up, the usage. */
export async function runCommand<const Given extends Command>(
  { usage, help = usage, status = 1, options, allowPositionals }: Given,
  work: (given: ReturnType<typeof parseArgs<Given>>) => unknown,
): Promise<void> {
  try {
    const { values, positionals } = parseArgs({
      options: { ...options, help: { type: 'boolean', short: 'h' } },
      allowPositionals: allowPositionals ?? false,
    })
    const taken = findTakenByNpm(options, values)
    if (taken !== undefined) {
      const command = `npm run ${process.env.npm_lifecycle_event}`
      throw new Error(`npm took --${taken} for itself, and nothing was done. Write -- first: ${command} -- --${taken}`)
    }
    if (values.help) console.log(help)
    else await work({ values, positionals } as unknown as ReturnType<typeof parseArgs<Given>>)
  } catch (error) {
    // A message may quote names from elsewhere.
    const message = describeError(error).split('\n').map(withoutControls).join('\n')
    const isMisused = error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_')
    // Other arguments do not help if the hub is not set up.
    const isOfArguments = !(error instanceof HubError && error.code === 'unavailable')
    const shown = isOfArguments ? (usage ?? (isMisused ? help : undefined)) : undefined
    console.error(shown === undefined ? message : `${message}\n${shown}`)
    process.exitCode = status
  }
}

/** Returns the option that npm kept because `--` was missing before it: without it, the command would do something else. npm passes its own options on as variables. */
function findTakenByNpm(
  options: ParseArgsConfig['options'] = {},
  values: Readonly<Record<string, unknown>>,
): string | undefined {
  return Object.keys(options).find((name) => {
    const isGiven = values[name] !== options[name]?.default
    return !isGiven && process.env[`npm_config_${name.replaceAll('-', '_')}`] !== undefined
  })
}
