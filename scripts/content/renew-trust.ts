// `npm run trust [-- --add NAME FILE]`: renews content/trusted-root.json, the Sigstore instances whose attestations the hub accepts.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TrustedRoot } from '@sigstore/protobuf-specs'
import { getTrustedRoot } from '@sigstore/tuf'
import { findRootProblem } from '../../src/attestations/verify-attestation.ts'
import { readConfig } from '../../src/config.ts'
import { replaceFile } from '../../src/content/write-files.ts'
import {
  formatTrustedRootFile,
  parseTrustedRootFile,
  type RootEntry,
  type TrustedRootFile,
} from '../../src/domain/content/trusted-root-file.ts'
import { formatProblems } from '../../src/domain/text/problems.ts'
import { runCommand } from '../run-command.ts'
import { readIfThere } from './read-if-there.ts'

const USAGE = `Usage: npm run trust [-- --tuf-root FILE]
       npm run trust -- --add NAME FILE [--source URL]
The first renews each root that has a source, a TUF repository. Sigstore's own needs nothing else; another one needs the
first root.json of the repository. The second adds or replaces a root, such as that of GitHub for private repositories:
  gh attestation trusted-root | grep fulcio.githubapp.com > github.json && npm run trust -- --add github github.json`
const MAX_WAIT_MS = 30_000

const options = { add: { type: 'boolean' }, source: { type: 'string' }, 'tuf-root': { type: 'string' } } as const
await runCommand({ help: USAGE, options, allowPositionals: true }, async ({ values, positionals }) => {
  const [name, from] = positionals
  if (positionals.length !== (values.add ? 2 : 0)) throw new Error(USAGE)
  const target = join(readConfig(process.env).contentDir, 'trusted-root.json')
  const before = readExisting(target)
  const today = new Date().toISOString().slice(0, 10)
  const after: TrustedRootFile =
    values.add && name !== undefined && from !== undefined
      ? { ...before, roots: replace(before.roots, { name, source: values.source ?? null, root: readRoot(from) }) }
      : { renewed_at: today, roots: await renewAll(before.roots, values['tuf-root']) }
  const { value, problems } = parseTrustedRootFile(formatTrustedRootFile(after))
  if (problems) throw new Error(`The roots cannot be used. ${formatProblems(problems)}`)
  for (const entry of value.roots) {
    const problem = findRootProblem(entry)
    if (problem !== undefined) throw new Error(`The root ${entry.name} cannot be used: ${problem}`)
  }
  replaceFile(target, formatTrustedRootFile(after))
  console.log(
    `${after.roots.length} roots in ${target}: ${after.roots.map((entry) => describe(entry, before)).join(', ')}.`,
  )
})

function readExisting(path: string): TrustedRootFile {
  const text = readIfThere(path)
  if (text === '') {
    const source = 'https://tuf-repo-cdn.sigstore.dev'
    return { renewed_at: '1970-01-01', roots: [{ name: 'sigstore', source, root: {} as RootEntry['root'] }] }
  }
  const { value, problems } = parseTrustedRootFile(text)
  if (problems) throw new Error(`${path} has errors. Correct them first: ${formatProblems(problems)}`)
  return value
}

function readRoot(path: string): RootEntry['root'] {
  const lines = readFileSync(path, 'utf8').trim()
  try {
    return JSON.parse(lines)
  } catch {
    throw new Error(`${path}: expected one trusted root, as JSON. gh attestation trusted-root writes one a line.`)
  }
}

function replace(roots: readonly RootEntry[], entry: RootEntry): RootEntry[] {
  return [...roots.filter(({ name }) => name !== entry.name), entry]
}

/** Renews roots through TUF, which checks that they are signed and current. */
async function renewAll(roots: readonly RootEntry[], rootPath: string | undefined): Promise<RootEntry[]> {
  const cachePath = mkdtempSync(join(tmpdir(), 'hub-trust-'))
  try {
    const renewed: RootEntry[] = []
    for (const entry of roots) {
      if (entry.source === null) {
        renewed.push(entry)
        continue
      }
      const options = {
        mirrorURL: entry.source,
        cachePath,
        timeout: MAX_WAIT_MS,
        ...(rootPath !== undefined && { rootPath }),
      }
      const root = await getTrustedRoot(options).catch((error: unknown) => {
        throw new Error(
          `${entry.name}: ${entry.source} cannot be used: ${error instanceof Error ? error.message : error}`,
        )
      })
      renewed.push({ ...entry, root: TrustedRoot.toJSON(root) as RootEntry['root'] })
    }
    return renewed
  } finally {
    rmSync(cachePath, { recursive: true, force: true })
  }
}

function describe(entry: RootEntry, before: TrustedRootFile): string {
  const was = before.roots.find(({ name }) => name === entry.name)
  return `${entry.name} ${was && JSON.stringify(was.root) === JSON.stringify(entry.root) ? 'unchanged' : 'changed'}`
}
