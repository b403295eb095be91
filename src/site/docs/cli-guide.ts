// The site's documentation of hubcli. A test runs the install steps.

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
