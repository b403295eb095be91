// Creates the downloads of the libraries: lists the packages that a build serves under /clients, with the hub's URL built in, and freezes releases.
import { createHash } from 'node:crypto'
import { cp, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { type PackageFiles, packTarball, packWheel } from './packages.ts'

/** A frozen release of both libraries, as stored in the repository; the hub's URL is still a placeholder. */
interface ClientsRelease {
  /** The release number, such as `1.0.0`. */
  release: string
  typescript: PackageFiles
  python: PackageFiles
}

/** The placeholder for the hub's URL in a frozen release. */
const PLACEHOLDER = 'http://localhost:8888'
const ADDRESS_FILES = { typescript: 'dist/address.js', python: 'prompt_hub/address.py' }
/** Matches URLs that need no escaping in string literals of JavaScript and Python. */
const BASE_ADDRESS = /^https?:\/\/[A-Za-z0-9.:[\]-]+(?:\/[A-Za-z0-9._~/-]*)?$/

/**
 * Lists the files that a site serves under `/clients`: an npm tarball and a wheel for each release, each with its checksum in the format of `sha256sum -c`. On the same site, a release has the same bytes in every build.
 *
 * @param baseUrl the site's base URL @throws Error if the URL cannot be built in
 */
export function listClientDownloads(
  releases: readonly ClientsRelease[],
  baseUrl: string,
): [string, Uint8Array | string][] {
  const address = baseUrl.replace(/\/$/, '')
  if (!BASE_ADDRESS.test(address)) throw new Error(`clients: expected an http or https address, got ${baseUrl}`)
  return releases.flatMap(({ release, typescript, python }) => {
    const readme = python.get('README.md') ?? ''
    const modules = new Map([...python].filter(([path]) => path.startsWith('prompt_hub/')))
    const wheel = {
      name: 'prompt_hub',
      version: release,
      summary: 'Prompts from a Prompt Hub as dependencies of a program',
      readme,
    }
    const packages: [string, Uint8Array][] = [
      [`prompt-hub-client-${release}.tgz`, packTarball(buildIn(address, typescript, ADDRESS_FILES.typescript))],
      [
        `prompt_hub_client-${release}-py3-none-any.whl`,
        packWheel(buildIn(address, modules, ADDRESS_FILES.python), wheel),
      ],
    ]
    return packages.flatMap(([name, bytes]): [string, Uint8Array | string][] => [
      [`/clients/releases/${release}/${name}`, bytes],
      [`/clients/releases/${release}/${name}.sha256`, `${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`],
    ])
  })
}

/** The path of the frozen releases, relative to the project's root. */
const RELEASES = 'releases/libraries'

/** Reads the frozen releases. @param root the project's root @returns the releases, sorted by name */
export async function readClientReleases(root: string): Promise<ClientsRelease[]> {
  const names = (await readdir(join(root, RELEASES))).sort()
  return Promise.all(
    names.map(async (release) => ({
      release,
      typescript: await readFiles(join(root, RELEASES, release, 'typescript')),
      python: await readFiles(join(root, RELEASES, release, 'python')),
    })),
  )
}

/**
 * Freezes both libraries as the release whose number is the version in their package.json.
 *
 * @param root the project's root
 * @param compiled the compiler's output folder with `dist/`
 * @throws Error if that release is already frozen, because a release never changes
 */
export async function freezeClients(root: string, compiled: string): Promise<string> {
  const dir = join(root, 'clients')
  const { version } = JSON.parse(await readFile(join(dir, 'typescript/package.json'), 'utf8')) as { version: string }
  const target = join(root, RELEASES, version)
  if (await stat(target).catch(() => undefined))
    throw new Error(`Release ${version} is already frozen. Give package.json a new version.`)
  await mkdir(join(target, 'typescript'), { recursive: true })
  for (const name of ['package.json', 'README.md'])
    await cp(join(dir, 'typescript', name), join(target, 'typescript', name))
  await cp(compiled, join(target, 'typescript/dist'), { recursive: true })
  await mkdir(join(target, 'python/prompt_hub'), { recursive: true })
  await cp(join(dir, 'python/README.md'), join(target, 'python/README.md'))
  for (const [path, text] of await readFiles(join(dir, 'python/prompt_hub'))) {
    if (/\.(?:py|typed)$/.test(path)) await writeFile(join(target, 'python/prompt_hub', path), text)
  }
  return version
}

async function readFiles(dir: string): Promise<Map<string, string>> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const files = paths.map(async (path) => [relative(dir, path), await readFile(path, 'utf8')] as const)
  return new Map(await Promise.all(files))
}

function buildIn(address: string, files: PackageFiles, addressFile: string): PackageFiles {
  const text = files.get(addressFile)
  if (text?.split(PLACEHOLDER).length !== 2)
    throw new Error(`${addressFile}: expected the placeholder URL exactly once`)
  return new Map([...files, [addressFile, text.replace(PLACEHOLDER, () => address)]])
}
