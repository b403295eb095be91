// Git repositories in temporary folders.
import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Additions, CommitOutcome, GitStore } from '../../src/git/git-store.ts'
import { type LocalGit, type LocalGitOptions, openLocalGit } from '../../src/git/git-store-local.ts'
import { runSync } from '../run-sync.ts'
import { lastingFolder, temporaryFolder } from '../temporary-folder.ts'
import { writeFiles } from '../write-files.ts'

/** File contents, keyed by path from the root of the working tree. */
export type Files = Readonly<Record<string, string | Uint8Array>>

/** A working tree with a `content` folder. */
export interface LocalRepository {
  folder: string
  contentDir: string
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

const IDENTITY = ['-c', 'user.name=Somebody', '-c', 'user.email=somebody@example.com']
/** In one shell, which starts a process in a tenth of the time that a large process like this one takes. */
const COMMIT = `set -e
git -c core.autocrlf=false add -- "$@"
git ${IDENTITY.join(' ')} commit -q -m 'Somebody else' --only -- "$@"
git rev-parse HEAD`

/** Working trees by the files of their only commit. The tests make hundreds of repositories, and a copy starts no process. */
const made = new Map<string, string>()

/** Creates a folder that contains `content`. @param state `bare`: no git at all; `empty`: no commit; `ready`: one commit with a README.md and these files */
export function makeRepository(
  state: 'bare' | 'empty' | 'ready' = 'ready',
  { folder = temporaryFolder('hub-'), files = {} }: { folder?: string; files?: Files } = {},
): LocalRepository {
  const contentDir = join(folder, 'content')
  const warnings: string[] = []
  mkdirSync(contentDir, { recursive: true })
  if (state !== 'bare') copyCommitted(folder, state === 'empty' ? {} : { 'README.md': '# Hub\n', ...files })
  return {
    folder,
    contentDir,
    warnings,
    git: (...args) => runSync('git', [...IDENTITY, ...args], { cwd: folder, encoding: 'utf8' }),
    write: (files) => writeFiles(folder, files),
    commit: (files) => commitFiles(folder, files),
    openStore: (options) =>
      openLocalGit({
        contentDir,
        environment: process.env,
        warn: (message) => warnings.push(message),
        ...options,
      }),
  }
}

function commitFiles(folder: string, files: Files): string {
  writeFiles(folder, files)
  return runSync('sh', ['-c', COMMIT, 'sh', ...Object.keys(files)], { cwd: folder, encoding: 'utf8' }).trim()
}

function copyCommitted(folder: string, files: Files): void {
  const key = JSON.stringify(files)
  const known = made.get(key) ?? lastingFolder('hub-made-')
  if (!made.has(key)) {
    // Without the sample hooks, which are a third of the files of a small repository.
    runSync('git', ['init', '-q', '-b', 'main', '--template=', known])
    if (Object.keys(files).length > 0) commitFiles(known, files)
    made.set(key, known)
  }
  cpSync(known, folder, { recursive: true })
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
