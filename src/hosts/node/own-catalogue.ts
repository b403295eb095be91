// The catalogue of a hub for which none is configured: a git repository of its own below `.hub`, so that publishing does not commit to the checkout of the code.
import { existsSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Config } from '../../config.ts'
import { createGit, type Git } from '../../git/git-command.ts'

/** Where it is, below the folder in which the hub runs. */
const FOLDER = '.hub/catalogue'
/** Files are published byte for byte, whatever `.gitattributes` in the checkout says. */
const ATTRIBUTES = '* -text -ident -filter -working-tree-encoding\n'
/** The commit that has the copy of `content/`. */
const COPIED = 'refs/hub/copied'

/** A catalogue to serve. */
interface ServedCatalogue {
  contentDir: string
  /** What whoever starts the hub should know about it. */
  note?: string
}

/** Returns the content folder that `npm start` serves here; a catalogue of its own counts once `npm start` has created it. */
export function findServedContent(config: Pick<Config, 'contentDir' | 'hasOwnCatalogue'>, root = '.'): string {
  const own = join(root, FOLDER, 'content')
  return config.hasOwnCatalogue && existsSync(own) ? own : config.contentDir
}

/**
 * Opens the hub's own catalogue. The first time, it is created with a copy of `content/`.
 *
 * @param environment usually `process.env`; used to find git
 * @throws Error if it cannot be written
 */
export async function openOwnCatalogue(
  config: Pick<Config, 'contentDir' | 'hasOwnCatalogue'>,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ServedCatalogue> {
  const { contentDir } = config
  if (!config.hasOwnCatalogue || !(await hasGit(environment))) return { contentDir }
  const served = { contentDir: join(FOLDER, 'content') }
  if (!existsSync(served.contentDir)) {
    if (!existsSync(contentDir)) return { contentDir }
    await createCatalogue(contentDir, environment)
    return { ...served, note: `Copied ${contentDir}/ to ${served.contentDir}/, where this hub publishes.` }
  }
  const git = createGit(FOLDER, environment)
  const copied = await git.find(['rev-parse', '--quiet', '--verify', `${COPIED}^{tree}`])
  if (!existsSync(contentDir) || copied === undefined || copied === (await readTree(git, contentDir))) return served
  return {
    ...served,
    note: `${contentDir}/ has changed since it was copied to ${served.contentDir}/, which this hub serves. To serve ${contentDir}/ itself, run CONTENT_DIR=${contentDir} npm start. To copy it again, stop the hub and move ${FOLDER} away, with everything that was published there.`,
  }
}

async function hasGit(environment: Readonly<Record<string, string | undefined>>): Promise<boolean> {
  return createGit('.', environment)
    .find(['--version'])
    .then(Boolean, () => false)
}

async function createCatalogue(
  contentDir: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  await mkdir('.hub', { recursive: true })
  // Complete before it has its name, so that a start that was killed leaves no half of it.
  const made = `${FOLDER}-${process.pid}`
  await rm(made, { recursive: true, force: true })
  await mkdir(made)
  const git = createGit(made, environment)
  try {
    await git.run(['init', '--quiet', '--template=', '--initial-branch=main'])
    await mkdir(join(made, '.git', 'info'), { recursive: true })
    await writeFile(join(made, '.git', 'info', 'attributes'), ATTRIBUTES)
    const tree = await readTree(git, contentDir)
    const commit = (await git.run(['commit-tree', tree, '-m', `Copy ${contentDir}/`])).toString().trim()
    await git.run(['update-ref', COPIED, commit])
    await git.run(['reset', '--quiet', '--hard', commit])
    await mkdir(join(made, 'content'), { recursive: true })
    await rename(made, FOLDER)
  } catch (error) {
    await rm(made, { recursive: true, force: true })
    // Another hub in this folder may have been faster.
    if (!existsSync(join(FOLDER, 'content'))) throw error
  }
}

/** Writes the files of a content folder to the repository, as the folder `content`. @returns the ID of the tree */
async function readTree(git: Git, contentDir: string): Promise<string> {
  const indexFile = resolve('.hub', `catalogue-index-${process.pid}`)
  try {
    const inFolder = ['--work-tree', resolve(contentDir)]
    await git.run([...inFolder, 'add', '--all', '--force', '.'], { indexFile })
    const tree = (await git.run(['write-tree'], { indexFile })).toString().trim()
    const listed = `040000 tree ${tree}\tcontent\n`
    return (await git.run(['mktree'], { input: listed })).toString().trim()
  } finally {
    await rm(indexFile, { force: true })
  }
}
