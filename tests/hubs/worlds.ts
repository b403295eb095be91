// Creates git repositories for hubs in this process: a local working tree, or a repository on the fake GitHub server.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { createGit } from '../../src/git/git-command.ts'
import type { GitStore } from '../../src/git/git-store.ts'
import { openLocalGit } from '../../src/git/git-store-local.ts'
import { openGitHub } from '../../src/github/git-store-github.ts'
import type { GitHubStandIn, StandInRepository } from '../github/stand-in.ts'
import { runSync } from '../run-sync.ts'
import { commitFiles, makeCommitted, makeWorkTree } from '../stores/new-repository.ts'
import { temporaryFolder } from '../temporary-folder.ts'

type Files = Readonly<Record<string, string>>

/** A git repository that several hubs can share, as several processes do. */
export interface World {
  openStore(): GitStore
  /** Commits files as another user. @param files paths from the repository's root */
  commitOutside(files: Files): Promise<unknown>
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
  const folder = temporaryFolder('hub-publish-')
  const contentDir = join(folder, 'content')
  mkdirSync(contentDir)
  if (Object.keys(files).length === 0) makeWorkTree(folder, 'ready')
  else makeCommitted(folder, { 'README.md': '# Hub\n', ...files })
  return {
    openStore: () =>
      openLocalGit({ contentDir, environment: process.env, warn: (message) => expect(message).toBe('') }),
    commitOutside: async (all) => commitFiles(folder, all),
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
  const folder = temporaryFolder('hub-publish-')
  let exported = 0
  const gitFolder = async () => {
    exported += 1
    await standIn.exportTo(place, join(folder, `${exported}.git`))
    return join(folder, `${exported}.git`)
  }
  const { repository, branch, token } = place
  const credential = { kind: 'token', token } as const
  return {
    place,
    openStore: () => openGitHub({ repository, branch, credential, apiUrl: standIn.url, callTimeoutMs }),
    commitOutside: (all) => standIn.commitOutside(place, all),
    gitFolder,
    contentDir: async () => {
      const git = await gitFolder()
      const tree = `${git}.tree`
      mkdirSync(join(tree, 'content'), { recursive: true })
      runSync('git', ['-c', 'core.bare=false', '--git-dir', git, '--work-tree', tree, 'checkout', '-q', '-f', 'main'])
      writeFileSync(join(tree, '.git'), `gitdir: ${git}\n`)
      return join(tree, 'content')
    },
  }
}
