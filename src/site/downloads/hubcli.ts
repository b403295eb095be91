// Creates the downloads of hubcli: lists the files that a build serves under /cli, with the site's URL built in, and freezes releases.
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'

/** A frozen release, as stored in the repository. */
interface CliRelease {
  /** The release number, such as `1.0.0`. */
  release: string
  /** The frozen script, in which the line with the URL still contains the placeholder. */
  script: string
}

/** The current script and its releases. */
interface CliFiles {
  script: string
  releases: CliRelease[]
}

const ADDRESS_LINE = /^HUB_DEFAULT_URL='[^'\n]*'$/gm
const RELEASE_LINE = /^HUBCLI_VERSION='((?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*))'$/gm
/** Matches URLs that hubcli also accepts in HUB_URL and that fit on one line of a shell script. */
const BASE_ADDRESS = /^https?:\/\/[A-Za-z0-9.:[\]-]+(?:\/[!-"$->@-~]*)?$/

/**
 * Lists the files that a site serves under `/cli`. A release's checksum is that of the script as served, with the site's URL built in, so `sha256sum -c hubcli.sha256` works for the download. On the same site, a release has the same bytes in every build.
 *
 * @param files result of {@link readCliFiles}
 * @param baseUrl the site's base URL, with or without a trailing slash
 * @returns pairs of path and text: `/cli/hubcli`, and for each release `/cli/releases/{release}/hubcli` and `hubcli.sha256`
 * @throws Error if hubcli cannot use the URL, or if a script does not have exactly one line for it
 */
export function listCliDownloads({ script, releases, baseUrl }: CliFiles & { baseUrl: string }): [string, string][] {
  return [
    ['/cli/hubcli', buildIn(baseUrl, script)],
    ...releases.flatMap(({ release, script }): [string, string][] => {
      const served = buildIn(baseUrl, script)
      return [
        [`/cli/releases/${release}/hubcli`, served],
        [`/cli/releases/${release}/hubcli.sha256`, formatChecksum(served)],
      ]
    }),
  ]
}

/** Paths of the script and its frozen releases, relative to the project's root. */
const SCRIPT = 'clients/hubcli/hubcli'
const RELEASES = 'releases/hubcli'

/**
 * Reads the client and its releases.
 *
 * @param root the project's root
 * @returns the releases, sorted by number, oldest first
 */
export async function readCliFiles(root: string): Promise<CliFiles> {
  const names = await readdir(path.join(root, RELEASES))
  names.sort((one, other) => one.localeCompare(other, 'en', { numeric: true }))
  const releases = names.map(async (release) => ({
    release,
    script: await readFile(path.join(root, RELEASES, release, 'hubcli'), 'utf8'),
  }))
  return { script: await readFile(path.join(root, SCRIPT), 'utf8'), releases: await Promise.all(releases) }
}

/**
 * Freezes `hubcli` as the release with its number. The frozen script and its checksum match the file in the repository, before a site's URL is built in.
 *
 * @param root the project's root
 * @returns the number and checksum; `isNew` is false if this exact script is already frozen
 * @throws Error if the script has no number, or if another script has the same number
 */
export async function freezeRelease(root: string): Promise<{ release: string; sha256: string; isNew: boolean }> {
  const script = await readFile(path.join(root, SCRIPT), 'utf8')
  const release = readRelease(script)
  const sha256 = sha256Of(script)
  const folder = path.join(root, RELEASES, release)
  await mkdir(folder, { recursive: true })
  const target = path.join(folder, 'hubcli')
  try {
    await writeFile(target, script, { flag: 'wx', mode: 0o755 })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    if ((await readFile(target, 'utf8')) === script) return { release, sha256, isNew: false }
    throw new Error(`Release ${release} is already frozen with different content. Give hubcli a new HUBCLI_VERSION.`, {
      cause: error,
    })
  }
  await writeFile(path.join(folder, 'hubcli.sha256'), formatChecksum(script))
  return { release, sha256, isNew: true }
}

/** Returns the release number in a script. @throws Error unless the script has exactly one release number */
function readRelease(script: string): string {
  const [line, ...others] = script.matchAll(RELEASE_LINE)
  if (line?.[1] === undefined || others.length > 0)
    throw new Error("hubcli: expected one line such as HUBCLI_VERSION='1.0.0'")
  return line[1]
}

/** Returns a line in the format of `sha256sum -c` and `shasum -a 256 -c`, for a file named hubcli in the same folder. */
function formatChecksum(script: string): string {
  return `${sha256Of(script)}  hubcli\n`
}

function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function buildIn(baseUrl: string, script: string): string {
  const address = baseUrl.replace(/\/$/, '')
  if (!BASE_ADDRESS.test(address)) throw new Error(`hubcli: expected an http or https address, got ${baseUrl}`)
  if (script.match(ADDRESS_LINE)?.length !== 1) throw new Error('hubcli: expected one line HUB_DEFAULT_URL=...')
  // A replacer function is used, because $& and $' have a special meaning in a replacement string.
  return script.replace(ADDRESS_LINE, () => `HUB_DEFAULT_URL=${quoteForShell(address)}`)
}

/** Quotes text for a shell. Inside single quotes, a shell treats everything literally except the quote itself. */
function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
