// Creates the downloads of the libraries: lists the packages that a site serves under /clients, with the hub's URL built in.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundleFormats } from './bundle-formats.ts'
import { compileLibrary } from './compile-library.ts'
import { type PackageFiles, packTarball, packWheel, type Release } from './packages.ts'

/** The placeholder for the hub's URL in a release. */
const PLACEHOLDER = 'http://localhost:8888'
const ADDRESS_FILES = { typescript: 'dist/address.js', python: 'prompt_hub/address.py' }
/** Matches URLs that need no escaping in string literals of JavaScript and Python. */
const BASE_ADDRESS = /^https?:\/\/[A-Za-z0-9.:[\]-]+(?:\/[A-Za-z0-9._~/-]*)?$/

/**
 * Lists the files that a site serves under `/clients`: an npm tarball and a wheel for each release, each with its checksum in the format of `sha256sum -c`. On the same site, a release has the same bytes in every build.
 *
 * @param baseUrl the site's base URL @throws Error if the URL cannot be built in
 */
export function listClientDownloads(releases: readonly Release[], baseUrl: string): [string, Uint8Array | string][] {
  const address = checkClientsAddress(baseUrl)
  return releases.flatMap(({ number, files }) => {
    const [typescript, python] = [filesIn(files, 'typescript/'), filesIn(files, 'python/')]
    const readme = python.get('README.md') ?? ''
    const modules = new Map([...python].filter(([path]) => path.startsWith('prompt_hub/')))
    const wheel = {
      name: 'prompt_hub',
      version: number,
      summary: 'Prompts from a Prompt Hub as dependencies of a program',
      readme,
    }
    const packages: [string, Uint8Array][] = [
      [`prompt-hub-client-${number}.tgz`, packTarball(buildIn(address, typescript, ADDRESS_FILES.typescript))],
      [
        `prompt_hub_client-${number}-py3-none-any.whl`,
        packWheel(buildIn(address, modules, ADDRESS_FILES.python), wheel),
      ],
    ]
    return packages.flatMap(([name, bytes]): [string, Uint8Array | string][] => [
      [`/clients/releases/${number}/${name}`, bytes],
      [`/clients/releases/${number}/${name}.sha256`, `${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`],
    ])
  })
}

/**
 * Packs the npm package `prompt-hub`: the command of the library, with the formats of other tools. It has no library, and follows the newest code: nobody pins it.
 *
 * @param release the current release of the libraries @throws Error if the URL cannot be built in
 */
export async function packCommand(root: string, { number, files }: Release, baseUrl: string): Promise<Uint8Array> {
  const typescript = filesIn(files, 'typescript/')
  const { exports: _, sideEffects: __, ...library } = JSON.parse(typescript.get('package.json')!)
  const about = { name: 'prompt-hub', version: number, description: 'The command line of Prompt Hub' }
  const command = new Map([...typescript].filter(([path]) => !path.endsWith('.d.ts')))
  command.set('package.json', `${JSON.stringify({ ...library, ...about }, undefined, 2)}\n`)
  command.set('dist/formats.js', await bundleFormats(root))
  return packTarball(buildIn(checkClientsAddress(baseUrl), command, ADDRESS_FILES.typescript))
}

/** Returns a site's base URL as the libraries contain it. @throws Error if it cannot be built in */
export function checkClientsAddress(baseUrl: string): string {
  const address = baseUrl.replace(/\/$/, '')
  if (!BASE_ADDRESS.test(address)) throw new Error(`clients: expected an http or https address, got ${baseUrl}`)
  return address
}

/** Reads the current release of the libraries, whose number is the version in their package.json. @param root the project's folder */
export async function readClientsRelease(root: string): Promise<Release> {
  const dir = join(root, 'clients')
  const read = async (path: string) => [path, await readFile(join(dir, path), 'utf8')] as const
  const texts = ['typescript/package.json', 'typescript/README.md', 'python/README.md']
  const modules = (await readdir(join(dir, 'python/prompt_hub'), { recursive: true }))
    .filter((path) => /\.(?:py|typed)$/.test(path))
    .map((path) => `python/prompt_hub/${path}`)
  const files = new Map([
    ...(await Promise.all([...texts, ...modules].map(read))),
    ...[...(await compileLibrary(root))].map(([path, text]) => [`typescript/dist/${path}`, text] as const),
    ['typescript/dist/commands.json', await readFile(join(dir, 'commands.json'), 'utf8')] as const,
  ])
  return { number: (JSON.parse(files.get(texts[0]!)!) as { version: string }).version, files }
}

const filesIn = (files: PackageFiles, folder: string): PackageFiles =>
  new Map([...files].flatMap(([path, text]) => (path.startsWith(folder) ? [[path.slice(folder.length), text]] : [])))

function buildIn(address: string, files: PackageFiles, addressFile: string): PackageFiles {
  const text = files.get(addressFile)
  if (text?.split(PLACEHOLDER).length !== 2)
    throw new Error(`${addressFile}: expected the placeholder URL exactly once`)
  return new Map([...files, [addressFile, text.replace(PLACEHOLDER, () => address)]])
}
