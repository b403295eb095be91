// The site's documentation of hubcli. A test compares it with `hubcli help` and runs the install steps.

/** Returns the steps that install a release, including checksum verification. @param baseUrl the base URL of the hub to download from */
export function listInstallSteps(baseUrl: string, release: string): string {
  return [
    `curl -fsSO ${baseUrl}/cli/releases/${release}/hubcli`,
    `curl -fsSO ${baseUrl}/cli/releases/${release}/hubcli.sha256`,
    'sha256sum -c hubcli.sha256 && mkdir -p ~/.local/bin && install -m 755 hubcli ~/.local/bin/hubcli',
  ].join('\n')
}

/** A workflow that keeps prompts.lock up to date. */
export const UPDATE_WORKFLOW = `on:
  schedule: [{cron: "0 6 * * 1"}]
permissions: {contents: write, pull-requests: write}
jobs:
  update:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2
      - uses: OWNER/prompt-hub/.github/actions/update@COMMIT`

/** The commands in `hubcli help`, grouped by purpose, each with a description. */
export const CLI_COMMANDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Read: {
    'hubcli pull <owner>/<name>[@<range or label>] [-o <path>]':
      'Writes the prompt to PROMPT.md, or to the given path. Fetches the latest version, unless you specify another version after @, such as @1.2.0, @^1.2 or @production. With --locked, copies the locked version without using the network.',
    'hubcli cat <owner>/<name>[@<range or label>]':
      'Prints the prompt byte for byte. With --locked, prints the locked version. Without it, prints the latest version, and reports if prompts.lock contains a different version.',
    'hubcli render <owner>/<name>[@...] [--var <name>=<value>]...':
      'Prints the prompt with its variables filled in. Fails if a variable is missing, unknown or has the wrong type. --var-file code=main.c reads a value from a file. --locked works offline.',
    'hubcli export <owner>/<name>[@...] --format <format> [-o <path>]':
      'Writes a prompt in the format of another tool, such as dotprompt or langfuse. Reports what the format loses.',
    'hubcli search "<text>"': 'Searches prompts. Reports words that were corrected or ignored.',
    'hubcli versions <owner>/<name>': 'Lists the versions, highest first.',
  },
  Publish: {
    'hubcli push <owner>/<name> <file or folder> "<changelog>" [<bump>]':
      'Publishes a prompt file, or standard input if it is -, as the next version, and prints its number and URL. The number fits what changed for callers: a breaking change is a major version. <bump> names major, minor or patch instead; a breaking change as minor or patch is refused without --allow-breaking. Prints warnings to standard error. --dry-run publishes nothing, and prints the version that would be published. --raw publishes the whole file as the text, with its front matter.',
    'hubcli recompose <owner>/<name> ["<changelog>"] [<bump>]':
      'Publishes a composed prompt with the newest versions of its parts, if one has changed. --min-age 7d takes only versions that have been out for 7 days. --all <owner> does so for all of an owner’s prompts.',
    'hubcli check <file or folder>... [--owner <owner>] [--bump <bump>]':
      'Prints which version each prompt file would become, without a token, and exits with 4 if one would be rejected. prompts/acme/review.md is checked as acme/review; --owner names another owner, and --bump the part of the version that push would be given.',
    'hubcli result <owner>/<name> <x.y.z> <suite> <file>':
      'Reports the result of a test suite for the version, from promptfoo’s JSON, JUnit XML or a benchmark.json. --remove instead of a file removes the result.',
  },
  Manage: {
    'hubcli label <owner>/<name> <label> <x.y.z>':
      'Points the label to the version. To remove the label, pass --remove instead of a version.',
    'hubcli yank <owner>/<name> <x.y.z> "<reason>"': 'Yanks a version. Its URL still works.',
    'hubcli unyank <owner>/<name> <x.y.z>': 'Reverts a yank.',
    'hubcli deprecate <owner>/<name> "<message>"':
      'Marks a prompt as deprecated. --replaced-by names a replacement. To undo this, pass --undo instead of a message.',
    'hubcli readme <owner>/<name> <file>': 'Replaces the readme.',
    'hubcli edit <owner>/<name> [--title <text>] [--description <text>]':
      'Changes the title, description, --tags a,b or --license. Only the options that you pass are changed.',
  },
  'Install prompts as dependencies': {
    'hubcli add <owner>/<name>[@...] [-o <path>] [--as skill] [--agent <agent>]':
      'Installs a prompt to prompts/{owner}/{name}.md, or to the given path, and updates prompts.lock. Ranges: 1.2.3, ^1.2, ~1.2.3, 1.x or *. Default: ^ followed by the latest version. With --as skill, installs all files of an Agent Skill; --agent names the agent that reads them. <owner>/*@<label> adds all of an owner’s prompts that have the label. Commit the prompt, prompts.lock and .gitattributes.',
    'hubcli install [--force] [--require-attestation]':
      'Installs the locked versions. Only with --force, overwrites files that were edited by hand. With --require-attestation, fails if a version has no attestation.',
    'hubcli verify [--online]':
      'Fails if a file differs from prompts.lock. Works offline. With --online, also fails if the checksum on the hub differs, or if a version was yanked or has an advisory.',
    'hubcli outdated [--min-age <days>d]':
      'Lists prompts that have newer versions, with their locked, wanted (newest in the range) and latest versions. Exits with 1 if there are any.',
    'hubcli update [<owner>/<name>] [--min-age <days>d] [--accept-publisher]':
      'Updates prompts to the newest version in their range: all of them, or none if one fails. --min-age 7d takes only versions that have been out for 7 days. Fails if another workflow than before published one, unless you pass --accept-publisher.',
    'hubcli remove <owner>/<name>': 'Removes a prompt from prompts.lock and deletes its file.',
    'hubcli audit [--within <days>d]':
      'Fails if a locked version was yanked, has an advisory, or names a model that has retired or retires within 30 days, or the given time.',
  },
}
