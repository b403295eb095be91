// Writes the files of a folder as git objects, without a change to anybody's repository, index or files. Git's index knows by file times what must be read again.
import { copyFileSync, existsSync, globSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createGit, type Git } from './git-command.ts'
import { GitFailure } from './git-failure.ts'

/** Above this number of files and folders, the whole folder is looked at. */
const MAX_PLACES = 1_000
/** Above this number of objects and their folders, all of them are written again. */
const MAX_OBJECTS = 10_000

/** Where the objects of the folder are. */
export interface ObjectPlace {
  git: Git
  /** Whether a commit has the folder. */
  isCommitted: boolean
  /** The folder in the tree: empty, or with a trailing slash. */
  prefix: string
  /** Forgets what the index knows. */
  reset(): void
}

/** Writes only what is not committed into objects and an index of the hub's own: their repository stays as it is. */
export async function openBeside(
  theirs: Git,
  dir: string,
  contentDir: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ObjectPlace> {
  const asked = ['rev-parse', '--path-format=absolute', '--git-path', 'objects', '--git-path', 'index', '--show-prefix']
  const [objects = '', theirIndex = '', prefix = ''] = (await theirs.run(asked)).toString().split('\n')
  const own = join(resolve(dir), 'objects')
  const index = join(resolve(dir), 'index')
  const reset = () => {
    for (const path of [index, `${index}.lock`]) rmSync(path, { force: true })
  }
  mkdirSync(own, { recursive: true })
  rmSync(`${index}.lock`, { force: true })
  // Packs that were not completed. In a repository of the hub's own, git removes them.
  for (const name of globSync('pack/tmp_*', { cwd: own })) rmSync(join(own, name))
  if (readdirSync(own, { recursive: true }).length > MAX_OBJECTS) {
    reset()
    rmSync(own, { recursive: true, force: true })
    mkdirSync(own)
  }
  // Their index knows which files are as in the commit.
  if (!existsSync(index) && existsSync(theirIndex)) copyFileSync(theirIndex, index)
  const git = createGit(contentDir, environment, {
    GIT_INDEX_FILE: index,
    GIT_OBJECT_DIRECTORY: own,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(objects),
  })
  return { git, isCommitted: true, prefix, reset }
}

/** Makes a repository of the hub's own, for a folder that no commit has. */
export async function openAlone(
  dir: string,
  contentDir: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ObjectPlace> {
  const repository = join(resolve(dir), 'repository')
  const reset = () => rmSync(repository, { recursive: true, force: true })
  const git = createGit(contentDir, environment, { GIT_DIR: repository, GIT_WORK_TREE: resolve(contentDir) })
  if (!existsSync(join(repository, 'HEAD'))) {
    reset()
    mkdirSync(repository, { recursive: true })
    await git.run(['init', '--quiet', '--template='])
    mkdirSync(join(repository, 'info'), { recursive: true })
    writeFileSync(join(repository, 'info/attributes'), AS_IT_IS)
  }
  rmSync(join(repository, 'index.lock'), { force: true })
  await git.run(['gc', '--auto', '--quiet'])
  return { git, isCommitted: false, prefix: '', reset }
}

/** The bytes of files, whatever the settings of the machine and attributes in the folder say. */
const AS_IT_IS = '* -text -ident -filter -working-tree-encoding\n'

const ADD = ['add', '--all', '--force', '--ignore-errors', '--']

/** Compressing takes as long as everything else. Of a split index, a change writes a small part. In their repository, git would write the large one there. @see https://git-scm.com/docs/git-update-index#_split_index */
const settingsOf = ({ isCommitted }: ObjectPlace): string[] =>
  [
    'core.fsync=none',
    'core.compression=0',
    'advice.addEmbeddedRepo=false',
    `core.splitIndex=${!isCommitted}`,
    'splitIndex.sharedIndexExpire=1.hour.ago',
  ].flatMap((one) => ['-c', one])

/** Writes each file to a pack, without one of its own: many are written in half of the time, and read in a tenth. Git compares each with all others of its pack, so packs are small. */
const TO_PACKS = ['-c', 'core.bigFileThreshold=1', '-c', 'pack.packSizeLimit=8m']

/** Writes the folder as a tree. Files that git ignores are part of it as well. @param changed the files and folders that may have changed since the last call; `first` if it may be all, and many at once @returns the tree, and the files that cannot be read */
export async function writeTree(
  place: ObjectPlace,
  changed: readonly string[] | 'all' | 'first',
): Promise<{ tree: string; unreadable: string[] }> {
  const { git, prefix } = place
  const places = typeof changed === 'string' || changed.length > MAX_PLACES ? ['.'] : changed
  const settings = settingsOf(place)
  const packed = changed === 'first' ? TO_PACKS : []
  let { code, stderr } = places.length === 0 ? UNCHANGED : await git.tryRun([...settings, ...packed, ...ADD, ...places])
  // Git refuses a folder that is neither there nor in the index, and to pack a file that becomes shorter meanwhile.
  if (code === 128 && (changed === 'first' || places[0] !== '.'))
    ({ code, stderr } = await git.tryRun([...settings, ...ADD, '.']))
  const unreadable = Array.from(stderr.matchAll(/^error: unable to index file '(.*)'$/gm), ([, path = '']) =>
    path.slice(prefix.length),
  )
  if (code !== 0 && unreadable.length === 0) throw failure('add', code, stderr)
  const ofFolder = prefix === '' ? [] : [`--prefix=${prefix}`]
  const written = await git.tryRun([...settings, 'write-tree', ...ofFolder])
  if (written.code === 0) return { tree: written.stdout.toString().trim(), unreadable }
  if (!/prefix .* not found/.test(written.stderr)) throw failure('write-tree', written.code, written.stderr)
  return { tree: await findEmptyTree(git), unreadable }
}

/** Returns the ID of a tree without files, which every repository has. */
export async function findEmptyTree(git: Git): Promise<string> {
  return (await git.run(['hash-object', '-t', 'tree', '--stdin'], { input: '' })).toString().trim()
}

const UNCHANGED = { code: 0, stderr: '' }

/** Returns the error for a command that failed, which says first if the disk is full. */
function failure(command: string, code: number | null, stderr: string): GitFailure {
  const reason = stderr.includes('No space left on device') ? 'The disk is full: ' : ''
  return new GitFailure(`${reason}git ${command} ended with ${code}: ${stderr.trim()}`)
}
