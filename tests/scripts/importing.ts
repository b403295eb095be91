// Imports and exports in a temporary folder with a content folder: in this process, or with the scripts.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Line } from '../../packages/prompt-import/source/read-import.ts'
import { IMPORT_OPTIONS, importFiles } from '../../scripts/content/import-files.ts'
import { temporaryFolder } from '../temporary-folder.ts'

/** A temporary folder with files to import, and a content folder. */
export interface ImportFolder {
  dir: string
  /** Writes a file. @param path relative to the folder @returns its absolute path */
  give(path: string, text: string): string
  /** Runs a script of `scripts/content`. */
  run(script: string, ...parameters: string[]): { status: number | null; stdout: string; stderr: string }
  /** Imports for the owner acme in this process, with the function of `npm run import`. */
  importAll(...parameters: string[]): Line[]
  /** Reads a file. @param path relative to the folder */
  read(path: string): string
}

/** Creates the folder. */
export function makeImportFolder(): ImportFolder {
  const dir = temporaryFolder('prompt-hub-import-')
  mkdirSync(join(dir, 'content'))
  const run: ImportFolder['run'] = (script, ...parameters) => {
    const env = { ...process.env, CONTENT_DIR: join(dir, 'content') }
    const program = [`scripts/content/${script}.ts`, ...parameters]
    const { status, stdout, stderr } = spawnSync(process.execPath, program, { env, encoding: 'utf8' })
    return { status, stdout, stderr }
  }
  return {
    dir,
    give(path, text) {
      const file = join(dir, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
      return file
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
