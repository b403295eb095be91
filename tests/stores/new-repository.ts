// Makes git repositories without git: git makes one of each kind, whose files each further repository starts with. A test
// that needs a hundred repositories thus starts three processes instead of four hundred.
import { hash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { runSync } from '../run-sync.ts'
import { temporaryFolder } from '../temporary-folder.ts'

/** An option of `git init`: no sample hooks, which are a third of the files of a small repository. */
const NO_SAMPLES = '--template='

/** `empty`: a branch `main` without a commit; `ready`: with one commit, which has a README.md. */
type Kind = 'empty' | 'ready'

/** A working tree with its git directory. */
interface WorkTree {
  folders: string[]
  files: [path: string, bytes: Buffer][]
}

/** What has been made, by kind or by the digest of the committed files. */
const made = new Map<string, WorkTree>()

/** Makes a folder a working tree. */
export function makeWorkTree(folder: string, kind: Kind): void {
  copy(made.get(kind) ?? remember(kind, makeFirst(kind)), folder)
}

/** Makes a folder a working tree with one commit of these files. */
export function makeCommitted(folder: string, files: Readonly<Record<string, string>>): void {
  const key = hash('sha256', JSON.stringify(Object.entries(files)))
  const known = made.get(key)
  if (known) copy(known, folder)
  else {
    makeWorkTree(folder, 'empty')
    commitFiles(folder, files)
    remember(key, folder)
  }
}

function copy({ folders, files }: WorkTree, folder: string): void {
  for (const path of folders) mkdirSync(join(folder, path), { recursive: true })
  for (const [path, bytes] of files) writeFileSync(join(folder, path), bytes)
}

/** In one shell, which starts a process in a tenth of the time that a large process like this one takes. */
const COMMIT = `set -e
git -c core.autocrlf=false add -- "$@"
git -c user.name=Somebody -c user.email=somebody@example.com commit -q -m 'Somebody else' --only -- "$@"
git rev-parse HEAD`

/** Writes files and commits them as another user, without any other staged files. @returns the new head */
export function commitFiles(folder: string, files: Readonly<Record<string, string | Uint8Array>>): string {
  for (const [path, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), bytes)
  }
  return runSync('sh', ['-c', COMMIT, 'sh', ...Object.keys(files)], { cwd: folder, encoding: 'utf8' }).trim()
}

function makeFirst(kind: Kind): string {
  const folder = temporaryFolder('hub-')
  const git = (...args: string[]) =>
    runSync('git', ['-c', 'user.name=Somebody', '-c', 'user.email=somebody@example.com', ...args], { cwd: folder })
  git('init', '-q', '-b', 'main', NO_SAMPLES)
  if (kind === 'ready') {
    writeFileSync(join(folder, 'README.md'), '# Hub\n')
    git('-c', 'core.autocrlf=false', 'add', 'README.md')
    git('commit', '-q', '-m', 'Somebody else')
  }
  return folder
}

/** Keeps the files of a working tree. */
function remember(key: string, folder: string): WorkTree {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const pathOf = ({ parentPath, name }: (typeof entries)[number]) => join(parentPath, name).slice(folder.length + 1)
  const tree: WorkTree = {
    folders: entries.filter((entry) => entry.isDirectory()).map(pathOf),
    files: entries
      .filter((entry) => entry.isFile())
      .map((entry): [string, Buffer] => [pathOf(entry), readFileSync(join(folder, pathOf(entry)))]),
  }
  made.set(key, tree)
  return tree
}
