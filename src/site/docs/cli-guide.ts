// Owns what the site says of hubcli; a test holds it to the script's own help, and runs the steps.

/** The steps that install a release, with its checksum verified. @param baseUrl of the hub it is downloaded from */
export function listInstallSteps(baseUrl: string, release: string): string {
  return [
    `curl -fsSO ${baseUrl}/cli/releases/${release}/hubcli`,
    `curl -fsSO ${baseUrl}/cli/releases/${release}/hubcli.sha256`,
    'sha256sum -c hubcli.sha256 && mkdir -p ~/.local/bin && install -m 755 hubcli ~/.local/bin/hubcli',
  ].join('\n')
}

/** Each command as `hubcli help` writes it, and what it does. docs/contract.md section 9 */
export function listCliCommands(): { usage: string; effect: string }[] {
  return [
    {
      usage: 'hubcli pull <owner>/<name> [--version <x.y.z>] [-o <path>]',
      effect: 'Writes the content to PROMPT.md or the path: the whole file or nothing.',
    },
    {
      usage: 'hubcli cat <owner>/<name> [--version <x.y.z>]',
      effect: 'Writes the content to standard output, byte for byte.',
    },
    { usage: 'hubcli search "<text>"', effect: 'Finds prompts. Needs python3.' },
    { usage: 'hubcli versions <owner>/<name>', effect: 'Lists the versions, highest first. Needs python3.' },
    {
      usage: 'hubcli push <owner>/<name> <file> "<changelog>" <major|minor|patch>',
      effect: 'Publishes the file as the next version and prints its number and address.',
    },
  ]
}
