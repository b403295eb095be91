// Owns what the site says of hubcli; a test holds it to the script's own help, and runs the steps.

/** The steps that install a release, with its checksum verified. @param baseUrl of the hub it is downloaded from */
export function listInstallSteps(baseUrl: string, release: string): string {
  return [
    `curl -fsSO ${baseUrl}/cli/releases/${release}/hubcli`,
    `curl -fsSO ${baseUrl}/cli/releases/${release}/hubcli.sha256`,
    'sha256sum -c hubcli.sha256 && mkdir -p ~/.local/bin && install -m 755 hubcli ~/.local/bin/hubcli',
  ].join('\n')
}

/** A workflow that keeps prompts.lock up to date; HUB_REPOSITORY and COMMIT stand for where the hub's sources are. */
export const UPDATE_WORKFLOW = `on:
  schedule: [{cron: "0 6 * * 1"}]
permissions: {contents: write, pull-requests: write}
jobs:
  update:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2
      - uses: HUB_REPOSITORY/.github/actions/update@COMMIT`

/** Commands as `hubcli help` writes them, and what they do; by purpose. docs/contract.md section 9 */
export function listCliCommands(): { purpose: string; commands: { usage: string; effect: string }[] }[] {
  return [
    {
      purpose: 'Read',
      commands: [
        {
          usage: 'hubcli pull <owner>/<name>[@<range or label>] [-o <path>]',
          effect:
            'Writes the content to PROMPT.md or the path: the whole file or nothing. The latest version, or the one after @: @1.2.0, @^1.2 or @production. --locked takes the one of prompts.lock, from its file.',
        },
        {
          usage: 'hubcli cat <owner>/<name>[@<range or label>]',
          effect:
            'Writes the content to standard output, byte for byte. Takes --locked, too. Where prompts.lock names the prompt and nothing else is asked for, it gives the latest and says which version is locked.',
        },
        {
          usage: 'hubcli render <owner>/<name>[@...] [--var <name>=<value>]...',
          effect:
            'Writes it with its variables filled in. Strict: what is missing, unknown or of the wrong type is named, and nothing is written. --var-file code=main.c takes a value from a file. With --locked it needs no network.',
        },
        { usage: 'hubcli search "<text>"', effect: 'Finds prompts, and says when a word was corrected or left out.' },
        { usage: 'hubcli versions <owner>/<name>', effect: 'Lists the versions, highest first.' },
      ],
    },
    {
      purpose: 'Publish',
      commands: [
        {
          usage: 'hubcli push <owner>/<name> <file> "<changelog>" <major|minor|patch>',
          effect:
            'Publishes the file as the next version and prints its number and address; what the hub warns of goes to standard error. A file that begins with front matter is refused; --raw publishes it as it is.',
        },
      ],
    },
    {
      purpose: 'Depend on prompts',
      commands: [
        {
          usage: 'hubcli add <owner>/<name>[@<range or label>] [-o <path>]',
          effect:
            'Takes a prompt into prompts/{owner}/{name}.md, or the path, and writes prompts.lock. A range is 1.2.3, ^1.2, ~1.2.3, 1.x or *; without one, ^ of the latest. Commit both, and the .gitattributes that keeps their line ends.',
        },
        {
          usage: 'hubcli install',
          effect:
            'Brings exactly the bytes that prompts.lock says. A file that somebody changed by hand is never replaced.',
        },
        {
          usage: 'hubcli verify [--online]',
          effect:
            'Fails when a file is not what the lock says, without the network; with --online also when the hub lists other bytes, or a version was yanked or has an advisory.',
        },
        { usage: 'hubcli outdated', effect: 'Lists what has newer versions: locked, in the range, latest.' },
        {
          usage: 'hubcli update [<owner>/<name>]',
          effect: 'Takes the highest version that each range allows: all files and the lock, or nothing.',
        },
        { usage: 'hubcli remove <owner>/<name>', effect: 'Takes it out of the lock, and its file away.' },
        {
          usage: 'hubcli audit',
          effect: 'Fails for versions that were yanked or that a maintainer marked with an advisory.',
        },
      ],
    },
  ]
}
