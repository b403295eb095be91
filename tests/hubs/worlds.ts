// Creates git repositories for hubs in this process: a local working tree, or a repository on the fake GitHub server.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { createGit } from '../../src/git/git-command.ts'
import type { GitStore } from '../../src/git/git-store.ts'
import { openGitHub } from '../../src/github/git-store-github.ts'
import type { GitHubStandIn, StandInRepository } from '../github/stand-in.ts'
import { runSync } from '../run-sync.ts'
import { type Files, makeRepository } from '../stores/local-repository.ts'
import { temporaryFolder } from '../temporary-folder.ts'

/** A git repository that several hubs can share, as several processes do. */
export interface World {
  openStore(): GitStore
  /** Commits files as another user. @param files paths from the repository's root @returns the new head */
  commitOutside(files: Files): Promise<string>
  /** Returns the repository as a git folder for the `git` command. */
  gitFolder(): Promise<string>
  /** Returns the content folder at the branch head, as a build would read it. */
  contentDir(): Promise<string>
}

/** Runs git in the repository of a world. @returns standard output */
export async function gitOf(world: World, ...args: string[]): Promise<string> {
  const folder = await world.gitFolder()
  return (await createGit(folder, process.env, { GIT_DIR: folder }).run(args)).toString()
}

/** Creates a local working tree with one commit. @param files the files in that commit */
export function openLocalWorld(files: Files = {}): World {
  const { folder, contentDir, commit, openStore } = makeRepository('ready', { files })
  return {
    openStore: () => openStore({ warn: (message) => expect(message).toBe('') }),
    commitOutside: async (all) => commit(all),
    gitFolder: async () => join(folder, '.git'),
    contentDir: async () => contentDir,
  }
}

/** Creates a repository on the fake GitHub server. @param callTimeoutMs how long a hub waits for a GitHub call */
export async function openGitHubWorld(
  standIn: GitHubStandIn,
  files: Files = {},
  callTimeoutMs = 8_000,
): Promise<World & { place: StandInRepository }> {
  const place = await standIn.createRepository()
  if (Object.keys(files).length > 0) await standIn.commitOutside(place, files)
  const { repository, branch, token } = place
  const credential = { kind: 'token', token } as const
  return {
    place,
    openStore: () => openGitHub({ repository, branch, credential, apiUrl: standIn.url, callTimeoutMs }),
    commitOutside: (all) => standIn.commitOutside(place, all),
    gitFolder: () => standIn.gitFolder(place),
    contentDir: async () => {
      const clone = temporaryFolder('hub-publish-')
      runSync('git', ['clone', '-q', await standIn.gitFolder(place), clone])
      mkdirSync(join(clone, 'content'), { recursive: true })
      return join(clone, 'content')
    },
  }
}
