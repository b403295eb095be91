// Git repositories in temporary folders, for the tests of the local git store.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Additions, CommitOutcome, GitStore } from '../../src/git/git-store.ts'
import { type LocalGit, type LocalGitOptions, openLocalGit } from '../../src/git/git-store-local.ts'
import { runSync } from '../run-sync.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { commitFiles, makeWorkTree } from './new-repository.ts'

/** File contents, keyed by path from the root of the working tree. */
export type Files = Readonly<Record<string, string | Uint8Array>>

/** A working tree with a `content` folder. */
export interface LocalRepository {
  folder: string
  /** Warnings from stores opened with `openStore`. */
  warnings: string[]
  /** Runs git as the user. @returns standard output */
  git(...args: string[]): string
  /** Writes files without committing them. */
  write(files: Files): void
  /** Commits these files as another user, without any other staged files. @returns the new head */
  commit(files: Files): string
  openStore(options?: Partial<LocalGitOptions>): LocalGit
}

/** The prompt that all of these tests publish to. */
export const PLACE = { owner: 'acme', name: 'code-review' }
/** The prompt's versions folder and index.md. */
export const VERSIONS = 'content/acme/code-review/versions'
export const INDEX = 'content/acme/code-review/index.md'

/** Returns options for a call that is never aborted. */
export const never = () => ({ signal: new AbortController().signal })

/** Creates a folder that contains `content`. @param state `bare`: no git at all; `empty`: no commit; `ready`: one commit with a README.md */
export function makeRepository(
  state: 'bare' | 'empty' | 'ready' = 'ready',
  folder = temporaryFolder('hub-'),
): LocalRepository {
  const identity = ['-c', 'user.name=Somebody', '-c', 'user.email=somebody@example.com']
  const git = (...args: string[]) => runSync('git', [...identity, ...args], { cwd: folder, encoding: 'utf8' })
  const warnings: string[] = []
  const repository: LocalRepository = {
    folder,
    warnings,
    git,
    write(files) {
      for (const [path, bytes] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, path)), { recursive: true })
        writeFileSync(join(folder, path), bytes)
      }
    },
    commit: (files) => commitFiles(folder, files),
    openStore: (options) =>
      openLocalGit({
        contentDir: join(folder, 'content'),
        environment: process.env,
        warn: (message) => warnings.push(message),
        ...options,
      }),
  }
  mkdirSync(join(folder, 'content'), { recursive: true })
  if (state !== 'bare') makeWorkTree(folder, state)
  return repository
}

/** Reads the folder and commits on top of the head that it read. */
export async function publish(
  store: GitStore,
  what: Partial<Pick<Additions, 'version' | 'index'>>,
): Promise<CommitOutcome> {
  const base = await store.readFolder(PLACE, never())
  const message = { headline: 'Publish acme/code-review', trailers: [['Operation-Id', 'op-1']] } as const
  return await store.commit({ ...PLACE, base, message, version: undefined, index: undefined, ...what }, never())
}
