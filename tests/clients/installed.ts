// Creates a project with the frozen TypeScript library installed from the npm tarball.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { listClientDownloads, readClientReleases } from '../../src/site/downloads/libraries.ts'

/**
 * Replaces the frozen library with the current sources, to test unreleased changes.
 *
 * @param hub the hub URL to build into the library
 */
export function compileLibrary(folder: string, hub: string): void {
  const dist = join(folder, 'node_modules/prompt-hub-client/dist')
  execFileSync(process.execPath, [
    resolve('node_modules/typescript/bin/tsc'),
    '-p',
    'clients/typescript',
    '--outDir',
    dist,
  ])
  const address = join(dist, 'address.js')
  writeFileSync(address, readFileSync(address, 'utf8').replace('http://localhost:8888', hub))
}

/**
 * Creates the project in a folder below the tests, so that its programs also find the packages of the tests. The caller
 * removes the folder.
 */
export async function makeProject(hub: string): Promise<string> {
  mkdirSync('tests/.hub', { recursive: true })
  const folder = mkdtempSync(resolve('tests/.hub', 'client-project-'))
  const library = join(folder, 'node_modules/prompt-hub-client')
  mkdirSync(library, { recursive: true })
  for (const [path, content] of listClientDownloads(await readClientReleases('.'), hub)) {
    if (!path.endsWith('.tgz')) continue
    writeFileSync(join(folder, 'library.tgz'), content)
    execFileSync('tar', ['-xzf', join(folder, 'library.tgz'), '-C', library, '--strip-components=1'])
  }
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  return folder
}
