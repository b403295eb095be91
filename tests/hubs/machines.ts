// Simulates several machines on this one. Each is a folder with the project's files and its own state, in which `npm
// start` runs.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type ProcessOptions, plainEnvironment, startProcess } from './processes.ts'

/** A machine that can run one hub after another. */
export type Machine = ReturnType<Machines['make']>

/** Machines that share nothing except what the settings specify. */
export type Machines = ReturnType<typeof openMachines>

const START: ProcessOptions['command'] = [process.execPath, '--max-semi-space-size=2', 'scripts/start.ts']
const isServingData = async (base: string) => (await fetch(`${base}/data/v1/tags.json`)).ok

/** Links what `npm ci` makes into a copy of the project: the packages, the page bundle and the compiled client library. */
export function linkInstalled(folder: string): void {
  for (const name of ['node_modules', '.pages', '.clients']) symlinkSync(resolve(name), join(folder, name))
}

/**
 * Creates a folder for simulated machines inside the project, because Astro finds a linked file only below a folder
 * that it shares with the root. The machines share the project's page bundle and its compiled client library.
 */
export function openMachines() {
  mkdirSync('.hub', { recursive: true })
  const top = mkdtempSync(resolve('.hub/machines-'))
  let made = 0
  return {
    make(settings: Readonly<Record<string, string>>) {
      const folder = join(top, String(++made))
      mkdirSync(join(folder, '.hub'), { recursive: true })
      const names = readdirSync('.').filter(
        (name) => !name.startsWith('.') && !['content', 'dist', 'build'].includes(name),
      )
      for (const name of ['.pages', '.clients', ...names]) symlinkSync(resolve(name), join(folder, name))
      const runToken = (...parameters: string[]) =>
        execFileSync(process.execPath, ['scripts/token.ts', ...parameters], {
          cwd: folder,
          env: { ...plainEnvironment(), ...settings } as NodeJS.ProcessEnv,
          encoding: 'utf8',
        }).trim()
      return {
        /** The folder with its copy of the project. */
        folder,
        /** Starts a hub and waits until it serves data, or until `isReady`; the caller stops it. */
        start: (more: Record<string, string> = {}, isReady: ProcessOptions['isReady'] = isServingData) =>
          startProcess({ command: START, settings: { ...settings, ...more }, cwd: folder, isReady }),
        /** Replaces the code with a copy that has another version number. */
        upgrade(version: string): void {
          for (const name of ['netlify', 'package.json', 'packages', 'scripts', 'src']) {
            rmSync(join(folder, name))
            cpSync(name, join(folder, name), { recursive: true })
          }
          const file = JSON.parse(readFileSync('package.json', 'utf8'))
          writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...file, version }))
        },
        /** Creates a token with `npm run token`. @param permissions separated by commas */
        makeToken: (owner: string, permissions = 'publish') => runToken(owner, '--permissions', permissions),
        /** Revokes all of an owner's tokens that were created this way. */
        revokeTokens(owner: string): void {
          const rows = runToken('--list').split('\n')
          for (const row of rows) if (row.includes(` ${owner}/*`)) runToken('--revoke', row.split(' ')[0]!)
        },
      }
    },
    /** Removes their files; call this after all hubs have stopped. */
    close: () => rmSync(top, { recursive: true, force: true, maxRetries: 5 }),
  }
}
