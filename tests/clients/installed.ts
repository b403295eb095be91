// Creates a project with the TypeScript library installed from the npm tarball.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { listClientDownloads } from '../../src/build/downloads/libraries.ts'
import { readClientsReleases } from '../../src/build/downloads/releases.ts'

/**
 * Creates the project in a folder below the tests, so that its programs also find the packages of the tests. The caller
 * removes the folder.
 */
export async function makeProject(hub: string): Promise<string> {
  mkdirSync('tests/.hub', { recursive: true })
  const folder = mkdtempSync(resolve('tests/.hub', 'client-project-'))
  const library = join(folder, 'node_modules/prompt-hub-client')
  mkdirSync(library, { recursive: true })
  for (const [path, content] of listClientDownloads(await readClientsReleases('.'), hub)) {
    if (!path.endsWith('.tgz')) continue
    writeFileSync(join(folder, 'library.tgz'), content)
    execFileSync('tar', ['-xzf', join(folder, 'library.tgz'), '-C', library, '--strip-components=1'])
  }
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  return folder
}
