// Serves a real hub in this process over HTTP, with Agent Skills that hubcli publishes from folders.
import { mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { sha256 } from '../cli/plain-files.ts'
import { openHub, serve } from '../hubs/publishing.ts'
import { openLocalWorld } from '../hubs/worlds.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { environment, runProgram } from './both-clients.ts'

export type SkillHub = Awaited<ReturnType<typeof startSkillHub>>

/** Starts a hub to publish folders to. */
export async function startSkillHub() {
  const scratch = temporaryFolder('prompt-hub-skills-')
  const world = openLocalWorld()
  const hub = await openHub(world)
  const asked: string[] = []
  const { url, close } = await serve((request) => {
    asked.push(new URL(request.url).pathname)
    return hub.answer(request)
  })
  return {
    url,
    hub,
    /** The path of each request, in order. */
    asked,
    scratch,
    /** Creates an empty folder. */
    newFolder: () => mkdtempSync(join(scratch, 'project-')),
    /** Runs hubcli in a folder, with the token. */
    hubcli: (cwd: string, ...args: string[]) => runProgram(args, cwd, { ...environment(url), HUB_TOKEN: hub.token }),
    close,
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
