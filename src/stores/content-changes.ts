// Owns what a content folder changes of a base commit, as git tells it: which versions were there, which were touched, and which may not be.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parsePath } from '../domain/content/content-path.ts'
import type { Problem } from '../domain/content/problems.ts'
import type { Changes } from '../domain/content/review.ts'
import { nameFile } from './content-files.ts'
import { blobId } from './git-blob-id.ts'
import { createGit, type Git } from './git-command.ts'

/** The changes, and what of them is never allowed. */
interface ChangesReading {
  changes: Changes
  problems: Problem[]
  /** Whether history ends before its beginning here: numbers that were used and given up long ago are not seen. */
  isShallow: boolean
}

/**
 * Compares a content folder with a commit. What the base gained since the two parted is no change of this side's; a version of it counts as published.
 *
 * @param dir the content folder, in a work tree of git; what is not committed counts as it lies there
 * @param base a commit by any name
 * @param paths every file that was found in the folder
 * @throws Error that says what to do when the base is not here
 */
export async function readChanges(
  dir: string,
  base: string,
  paths: Iterable<string>,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ChangesReading> {
  const git = createGit(dir, environment)
  const found = await git.tryRun(['rev-parse', '--verify', '--quiet', '--end-of-options', `${base}^{commit}`])
  if (found.code !== 0)
    throw new Error(
      `--base: expected a commit that is here, got ${base}; in a shallow clone, fetch it first: git fetch origin ${base}`,
    )
  const commit = found.stdout.toString().trim()
  const meeting = await git.tryRun(['merge-base', commit, 'HEAD'])
  // Without a common ancestor (a base that was rewritten, a shallow clone) the base itself is what counts.
  const fork = meeting.code === 0 ? meeting.stdout.toString().trim() : commit
  const isShallow = (await git.run(['rev-parse', '--is-shallow-repository'])).toString().trim() === 'true'
  const atBase = await listTree(git, commit)
  const atFork = fork === commit ? atBase : await listTree(git, fork)
  const here = new Set(paths)
  const touched = new Set([...here].filter((path) => !atFork.has(path)))
  const problems: Problem[] = []
  const refuse = (rule: string, path: string, message: string) =>
    problems.push({ file: nameFile(path), rule, key: '', message })

  for (const { path, oldMode, mode, status } of await listDifferences(git, [
    'diff',
    '--raw',
    '--no-ext-diff',
    '--ignore-submodules=none',
    fork,
  ])) {
    if (here.has(path)) touched.add(path)
    if (status === 'A' || !isVersionPath(path)) continue
    const became =
      status === 'D'
        ? 'nothing'
        : status === 'T'
          ? 'another kind of file'
          : oldMode === mode
            ? 'other bytes'
            : `mode ${mode}`
    refuse('version-unchanged', path, `expected the file as it is in ${base}, got ${became}`)
  }
  for (const [path, id] of atBase) {
    if (atFork.has(path) || !here.has(path) || !isVersionPath(path)) continue
    if (idHere(dir, path, id) !== id)
      refuse(
        'version-unchanged',
        path,
        `expected the file as it is in ${base}, which has that number by now, got other bytes`,
      )
  }
  for (const { path, mode } of await listIndex(git))
    if (mode === '160000' || (mode === '120000' && here.has(path)))
      refuse(
        'regular-file',
        path,
        `expected a regular file, got ${mode === '160000' ? 'a submodule' : 'a symbolic link'}`,
      )

  const published = new Set([...atBase.keys(), ...atFork.keys()].filter(isVersionPath))
  const fresh = new Set([...here].filter((path) => isVersionPath(path) && !published.has(path)))
  const restored = new Set<string>()
  const given = fresh.size === 0 ? new Map<string, Set<string>>() : await listDeleted(git, commit)
  for (const path of fresh) {
    const ids = given.get(path)
    if (!ids) continue
    if ([...ids].some((id) => idHere(dir, path, id) === id)) restored.add(path)
    else
      refuse(
        'version-number-used',
        path,
        `expected a number that was never used: ${base} had this version once, with other bytes`,
      )
  }
  return { changes: { published, restored, touched }, problems, isShallow }
}

function isVersionPath(path: string): boolean {
  return parsePath(path).value?.kind === 'version'
}

function idHere(dir: string, path: string, like: string): string {
  return blobId(readFileSync(join(dir, path)), like.length)
}

/** The blobs of a commit's content folder, by their path from it. */
async function listTree(git: Git, commit: string): Promise<Map<string, string>> {
  const out = (await git.run(['ls-tree', '-r', '-z', commit, '--', '.'])).toString()
  return new Map(
    splitRecords(out).map((record) => {
      const [facts = '', path = ''] = record.split('\t')
      return [path, facts.split(' ')[2] ?? '']
    }),
  )
}

async function listIndex(git: Git): Promise<{ path: string; mode: string }[]> {
  const out = (await git.run(['ls-files', '--stage', '-z', '--', '.'])).toString()
  return splitRecords(out).map((record) => {
    const [facts = '', path = ''] = record.split('\t')
    return { path, mode: facts.split(' ')[0] ?? '' }
  })
}

interface FileChange {
  path: string
  oldMode: string
  mode: string
  oldId: string
  status: string
}

/** Runs a command that answers in git's raw form. */
async function listDifferences(git: Git, command: readonly string[]): Promise<FileChange[]> {
  const [name = '', ...rest] = command
  const options = ['--no-renames', '--no-abbrev', '--relative', '-z']
  const records = splitRecords((await git.run([name, ...options, ...rest, '--', '.'])).toString())
  const changes: FileChange[] = []
  for (let at = 0; at + 1 < records.length; at += 2) {
    const [oldMode = '', mode = '', oldId = '', , status = ''] = records[at]!.replace(/^[\s:]+/, '').split(' ')
    changes.push({ path: records[at + 1]!, oldMode, mode, oldId, status })
  }
  return changes
}

/** The bytes that deleted versions had, by their path. */
async function listDeleted(git: Git, commit: string): Promise<Map<string, Set<string>>> {
  const deleted = new Map<string, Set<string>>()
  const command = ['log', '-m', '--raw', '--diff-filter=D', '--format=', commit]
  for (const { path, oldId } of await listDifferences(git, command))
    deleted.set(path, (deleted.get(path) ?? new Set()).add(oldId))
  return deleted
}

function splitRecords(out: string): string[] {
  return out.split('\0').filter((record) => record !== '')
}
