// Serves a real hub in this process over HTTP, with Agent Skills that hubcli publishes from folders.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { startServer } from '../../src/hosts/node/http/http-server.ts'
import { sha256 } from '../cli/plain-files.ts'
import { type Hub, openHub } from '../hubs/publishing.ts'
import { openLocalWorld } from '../hubs/worlds.ts'
import type { Ran } from '../loaded.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { environment, runProgram } from './both-clients.ts'

/** A hub to publish folders to. */
export interface SkillHub {
  url: string
  hub: Hub
  /** The path of each request, in order. */
  asked: string[]
  /** Runs hubcli in a folder, with the token. */
  hubcli(cwd: string, ...args: string[]): Promise<Ran>
  /** A folder that is removed with the hub. */
  scratch: string
  /** Creates an empty folder in it. */
  newFolder(): string
  close(): Promise<void>
}

/** Starts a hub. */
export async function startSkillHub(): Promise<SkillHub> {
  const scratch = temporaryFolder('prompt-hub-skills-')
  const world = openLocalWorld()
  const hub = await openHub(world)
  const asked: string[] = []
  const { server, stop } = await startServer((request) => {
    asked.push(new URL(request.url).pathname)
    return hub.answer(request)
  }, 0)
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    hub,
    asked,
    scratch,
    newFolder: () => mkdtempSync(join(scratch, 'project-')),
    hubcli: (cwd, ...args) => runProgram(args, cwd, { ...environment(url), HUB_TOKEN: hub.token }),
    async close() {
      await stop(0)
    },
  }
}

/** Writes files below a folder. */
export function writeFiles(folder: string, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [path, data] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), data)
  }
}

/** Publishes a folder with hubcli, and expects success. */
export async function pushFolder(
  { hubcli }: SkillHub,
  name: string,
  folder: string,
  bump: 'major' | 'minor' | 'patch' = 'minor',
): Promise<string> {
  const { code, stdout, stderr } = await hubcli(folder, 'push', name, folder, 'A change', bump)
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
  return stdout.split(' ', 1)[0]!
}

/** A SKILL.md. */
export const skillFile = (text: string) => `---\nname: x\ndescription: Fills in forms.\n---\n${text}\n`

/** Returns every file below a folder with its digest. */
export const snapshot = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(folder, path)).isFile())
    .sort()
    .map((path) => [path, sha256(readFileSync(join(folder, path)))] as const)

/** Returns the text of the lock in a folder. */
export const lockIn = (folder: string) => readFileSync(join(folder, 'prompts.lock'), 'utf8')
