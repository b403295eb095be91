// The site's documentation of hubcli. A test runs the install steps.

/** Returns the steps that install a release, including checksum verification. @param baseUrl the base URL of the hub to download from */
export function listInstallSteps(baseUrl: string, release: string): string {
  return [
    `curl -fsSO ${baseUrl}/cli/releases/${release}/hubcli`,
    `curl -fsSO ${baseUrl}/cli/releases/${release}/hubcli.sha256`,
    'sha256sum -c hubcli.sha256 && mkdir -p ~/.local/bin && install -m 755 hubcli ~/.local/bin/hubcli',
  ].join('\n')
}
