// Imports and exports in a temporary folder with a content folder: in this process, or with the scripts.
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Line } from '../../packages/prompt-import/source/read-import.ts'
import { IMPORT_OPTIONS, importFiles } from '../../scripts/content/import-files.ts'
import { runScript } from '../loaded.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { writeFiles } from '../write-files.ts'

/** A temporary folder with files to import, and a content folder. */
export interface ImportFolder {
  dir: string
  /** Writes a file. @param path relative to the folder @returns its absolute path */
  give(path: string, text: string): string
  /** Runs a script of `scripts/content`. */
  run(script: string, ...parameters: string[]): Promise<{ status: number; stdout: string; stderr: string }>
  /** Imports for the owner acme in this process, with the function of `npm run import`. */
  importAll(...parameters: string[]): Line[]
  /** Reads a file. @param path relative to the folder */
  read(path: string): string
}

/** Creates the folder. */
export function makeImportFolder(): ImportFolder {
  const dir = temporaryFolder('prompt-hub-import-')
  mkdirSync(join(dir, 'content'))
  const run: ImportFolder['run'] = async (script, ...parameters) => {
    const env = { ...process.env, CONTENT_DIR: join(dir, 'content') }
    const { code, ...printed } = await runScript(`scripts/content/${script}.ts`, parameters, { env })
    return { status: code, ...printed }
  }
  return {
    dir,
    give(path, text) {
      writeFiles(dir, { [path]: text })
      return join(dir, path)
    },
    run,
    importAll(...parameters) {
      const args = [...parameters, '--owner', 'acme']
      const { positionals, values } = parseArgs({ args, options: IMPORT_OPTIONS, allowPositionals: true })
      return importFiles(positionals, values, { contentDir: join(dir, 'content'), progress: { show() {}, end() {} } })
        .lines
    },
    read: (path) => readFileSync(join(dir, path), 'utf8'),
  }
}
