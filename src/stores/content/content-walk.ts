// Walks the content folder and git's file list in parallel, in git's order, so that neither has to be kept in memory.

import type { Git } from '../git/git-command.ts'
import { comparePaths, type Findings, listContentFiles } from './content-files.ts'

/** A file in a git tree. */
interface GitFile {
  /** The git mode, such as `100644`. */
  mode: string
  id: string
}

/** A path in the content folder, on disk or in git. */
export interface FileState {
  path: string
  /** Whether there is a regular file. */
  isHere: boolean
  atBase?: GitFile
  atFork?: GitFile
  inIndex?: GitFile
  /** Its difference from the index, according to git: `M`, `D`, `T` or `U`. */
  edited?: string
}

/** The git commits to walk. */
interface Sides {
  git: Git
  /** Commit IDs. The fork is where this branch left the base. */
  base: string
  fork: string
}

/** Walks every path on disk or in git. @param findings collects everything except files @param sides if omitted, only the disk is walked */
export async function* walkContent(dir: string, findings: Findings, sides?: Sides): AsyncGenerator<FileState, void> {
  const lists: AsyncGenerator<FileState, void>[] = [listHere(dir, findings)]
  if (sides) {
    const { git, base, fork } = sides
    lists.push(listTree(git, base, 'atBase'), listIndex(git), listEdited(git))
    if (fork !== base) lists.push(listTree(git, fork, 'atFork'))
  }
  try {
    const heads = await Promise.all(lists.map((list) => list.next()))
    while (true) {
      let path: string | undefined
      for (const { value } of heads)
        if (value && (path === undefined || comparePaths(value.path, path) < 0)) path = value.path
      if (path === undefined) return
      let state: FileState = { path, isHere: false }
      for (const [at, list] of lists.entries()) {
        // During a merge, git's index lists a path more than once.
        while (heads[at]?.value?.path === path) {
          const { isHere, ...rest } = heads[at].value
          state = { ...state, ...rest, isHere: state.isHere || isHere }
          heads[at] = await list.next()
        }
      }
      if (sides?.fork === sides?.base && state.atBase) state.atFork = state.atBase
      yield state
    }
  } finally {
    await Promise.all(lists.map((list) => list.return()))
  }
}

/** Groups the paths of each repository; every other path forms its own group. @returns groups of adjacent paths, in order */
export async function* groupByRepository(states: AsyncIterable<FileState>): AsyncGenerator<FileState[], void> {
  let group: FileState[] = []
  for await (const state of states) {
    const [owner, name, file] = state.path.split('/')
    const [first = '', second] = group[0]?.path.split('/') ?? []
    if (group.length > 0 && (file === undefined || owner !== first || name !== second)) {
      yield group
      group = []
    }
    group.push(state)
  }
  if (group.length > 0) yield group
}

async function* listHere(dir: string, findings: Findings): AsyncGenerator<FileState, void> {
  for (const path of listContentFiles(dir, findings)) yield { path, isHere: true }
}

async function* listTree(git: Git, commit: string, side: 'atBase' | 'atFork'): AsyncGenerator<FileState, void> {
  for await (const record of git.records(['ls-tree', '-r', '-z', commit, '--', '.'])) {
    const [facts = '', path = ''] = splitOnce(record, '\t')
    const [mode = '', , id = ''] = facts.split(' ')
    yield { path, isHere: false, [side]: { mode, id } }
  }
}

async function* listIndex(git: Git): AsyncGenerator<FileState, void> {
  for await (const record of git.records(['ls-files', '--stage', '-z', '--', '.'])) {
    const [facts = '', path = ''] = splitOnce(record, '\t')
    const [mode = '', id = ''] = facts.split(' ')
    yield { path, isHere: false, inIndex: { mode, id } }
  }
}

async function* listEdited(git: Git): AsyncGenerator<FileState, void> {
  const command = ['diff', '--raw', '--no-ext-diff', '--ignore-submodules=none', '--no-renames', '--relative', '-z']
  for await (const { path, status } of pairRecords(git.records([...command, '--', '.'])))
    yield { path, isHere: false, edited: status }
}

/** Yields the versions deleted before a commit, and the IDs of their bytes. */
export async function* listDeleted(git: Git, commit: string): AsyncGenerator<{ path: string; id: string }, void> {
  const command = [
    'log',
    '-m',
    '--raw',
    '--diff-filter=D',
    '--format=',
    '--no-renames',
    '--no-abbrev',
    '--relative',
    '-z',
  ]
  for await (const { path, oldId } of pairRecords(git.records([...command, commit, '--', '.'])))
    yield { path, id: oldId }
}

/** Parses git's raw format: a metadata record followed by a path record. */
async function* pairRecords(records: AsyncIterable<string>) {
  let facts: string | undefined
  for await (const record of records) {
    if (record === '') continue
    if (facts === undefined) {
      facts = record
      continue
    }
    const [, , oldId = '', , status = ''] = facts.replace(/^[\s:]+/, '').split(' ')
    yield { path: record, oldId, status }
    facts = undefined
  }
}

function splitOnce(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark)
  return [text.slice(0, at), text.slice(at + mark.length)]
}
