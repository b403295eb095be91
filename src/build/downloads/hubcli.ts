// Creates the downloads of hubcli: lists the files that a site serves under /cli, with the site's URL built in.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Release } from './packages.ts'

const ADDRESS_LINE = /^HUB_DEFAULT_URL='[^'\n]*'$/gm
const RELEASE_LINE = /^HUBCLI_VERSION='((?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*))'$/gm
/** Where hubcli passes its program to Python: the modules in `clients/`, and in a release their text. */
const PROGRAM = /<<END\n\$\(cd [^\n]*\nEND\n/
/** A module that a module imports, or one beside it in the Python library. */
const IMPORT = /^ *from (?:(program|prompt_hub)\.|\.)(\w+) import/gm
/** Matches URLs that hubcli also accepts in HUB_URL and that fit on one line of a shell script. */
const BASE_ADDRESS = /^https?:\/\/[A-Za-z0-9.:[\]-]+(?:\/[!-"$->@-~]*)?$/

/**
 * Lists the files that a site serves under `/cli`. A release's checksum is that of the script as served, with the site's URL built in, so `sha256sum -c hubcli.sha256` works for the download. On the same site, a release has the same bytes in every build.
 *
 * @param releases all releases, oldest first
 * @param baseUrl the site's base URL, with or without a trailing slash
 * @returns pairs of path and text: `/cli/hubcli` (the last release), and for each release `/cli/releases/{number}/hubcli` and `hubcli.sha256`
 * @throws Error if hubcli cannot use the URL, or if a script does not have exactly one line for it
 */
export function listCliDownloads(releases: readonly Release[], baseUrl: string): [string, string][] {
  const served = releases.map(({ number, files }) => ({ number, script: buildIn(baseUrl, files.get('hubcli') ?? '') }))
  return [
    ['/cli/hubcli', served.at(-1)?.script ?? ''],
    ...served.flatMap(({ number, script }): [string, string][] => [
      [`/cli/releases/${number}/hubcli`, script],
      [`/cli/releases/${number}/hubcli.sha256`, `${createHash('sha256').update(script).digest('hex')}  hubcli\n`],
    ]),
  ]
}

/** Reads the current release of hubcli, with its Python modules built in. @param root the project's folder @throws Error if the script has no number, or a module cannot be built in */
export async function readCliRelease(root: string): Promise<Release> {
  const clients = join(root, 'clients')
  const source = await readFile(join(clients, 'hubcli/hubcli'), 'utf8')
  const modules = new Map([['commands.json', await readModule(clients, 'commands.json')]])
  const own = (await readdir(join(clients, 'hubcli/program'))).filter((name) => name.endsWith('.py')).sort()
  for (const name of own) await addModule(modules, clients, `program/${name}`)
  const texts = Array.from(modules, ([path, text]) => `#: ${path}\n${text}`)
  const script = source.replace(PROGRAM, () => `<<'END'\n${texts.join('')}END\n`)
  return { number: readNumber(script), files: new Map([['hubcli', script]]) }
}

/** Adds a module of the program, and those of the library that it imports. */
async function addModule(modules: Map<string, string>, clients: string, path: string): Promise<void> {
  if (modules.has(path)) return
  const folder = path.startsWith('program/') ? 'hubcli' : 'python'
  const text = await readModule(clients, `${folder}/${path}`)
  modules.set(path, text)
  // The shell knows the address.
  for (const [, from = 'prompt_hub', name] of text.matchAll(IMPORT))
    if (name !== 'address') await addModule(modules, clients, `${from}/${name}.py`)
}

/** Reads a module of the program. @throws Error if it would not be the same in a here-document: not every shell keeps bytes beyond ASCII */
async function readModule(clients: string, path: string): Promise<string> {
  const text = await readFile(join(clients, path), 'utf8')
  if (/^[\n -~]*\n$/.test(text) && !/^(?:END$|#: )/m.test(text)) return text
  throw new Error(`hubcli: ${path}: expected ASCII with a line end, without tabs and without a line END`)
}

/** Returns the number in a script. @throws Error unless the script has exactly one number */
function readNumber(script: string): string {
  const [line, ...others] = script.matchAll(RELEASE_LINE)
  if (line?.[1] === undefined || others.length > 0)
    throw new Error("hubcli: expected one line such as HUBCLI_VERSION='1.0.0'")
  return line[1]
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
