// Lists the files and folders given to `npm run import`, sorted by path, within limits.
import { lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { compareText } from '../../../src/domain/text/plain-text.ts'
import { openFolder, type PlainFolder } from '../../../src/files/plain-files.ts'
import { findFrontKeys } from '../../prompt-formats/source/front-keys.ts'
import { isPromptFile } from '../../prompt-formats/source/read-prompt-file.ts'
import { MAX_SOURCE_BYTES } from '../../prompt-formats/source/source-file.ts'
import { listSkillFolder, type SkillFolder } from './skill-folder.ts'

/** Maximum number of files and of nested folders in an import. */
const MAX_FILES = 50_000
const MAX_DEPTH = 16
/** Folders that hold no prompts of their own. */
const LEFT_OUT = new Set(['node_modules', '.git', '.hub', 'dist'])
/** The file that makes its folder a skill. */
export const SKILL_FILE = /^skill\.md$/i

/** A file to import. */
export interface Source {
  /** The given folder, or the folder of a given file. */
  folder: PlainFolder
  /** The absolute path of that folder. */
  root: string
  /** The file's path in that folder. */
  path: string
  /** The file's path as given, or as found below a given folder. */
  shown: string
  /** Whether the file itself was given, not a folder above it. */
  isGiven: boolean
  /** For the main file of a skill's folder, what else is in the folder. None of it is a prompt. */
  beside?: SkillFolder
}

/** What was found below the given paths. */
interface Listed {
  sources: Source[]
  /** Links, and folders such as `dist`, which are not searched. */
  skipped: string[]
}

/** Lists the files below the paths. A given path may be a link, because its owner chose it; links below it are skipped, because a stranger may have made them. @throws Error for a missing path, and for too many files */
export function listSources(paths: readonly string[]): Listed {
  const listed: Listed = { sources: [], skipped: [] }
  let count = 0
  /** Lists the files and folders of a folder. */
  const list = (folder: PlainFolder, path: string, shown: string, depth: number) => {
    if (depth > MAX_DEPTH) throw new Error(`${shown}: expected at most ${MAX_DEPTH} levels of folders`)
    const entries = folder.list(path).sort((a, b) => compareText(a.name, b.name))
    return entries.flatMap((entry) => {
      const below = { path: path === '' ? entry.name : `${path}/${entry.name}`, shown: join(shown, entry.name) }
      const isFolder = entry.isDirectory()
      if (LEFT_OUT.has(entry.name) || !(isFolder || entry.isFile())) {
        if (entry.name !== '.git') listed.skipped.push(isFolder ? `${below.shown}/` : below.shown)
        return []
      }
      if (!isFolder && ++count > MAX_FILES)
        throw new Error(`expected at most ${MAX_FILES} files; import one folder at a time`)
      return [{ ...below, name: entry.name, isFolder }]
    })
  }
  const addSkill = (source: Omit<Source, 'beside'>) => {
    listed.sources.push({ ...source, beside: listSkillFolder(source.folder, source.path) })
  }
  const addFolder = (folder: PlainFolder, root: string, path: string, shown: string, depth: number) => {
    const entries = list(folder, path, shown, depth)
    const files = entries.filter(({ isFolder }) => !isFolder)
    const skill =
      files.find(({ name }) => SKILL_FILE.test(name)) ??
      files.find(({ name, path }) => name === 'prompt.md' && isSkillPrompt(folder, path))
    if (skill) {
      addSkill({ folder, root, path: skill.path, shown: skill.shown, isGiven: false })
      return
    }
    for (const entry of entries)
      if (entry.isFolder) addFolder(folder, root, entry.path, entry.shown, depth + 1)
      else listed.sources.push({ folder, root, path: entry.path, shown: entry.shown, isGiven: false })
  }
  for (const given of paths) {
    const real = realpathSync(given)
    const stats = lstatSync(real)
    if (stats.isDirectory()) addFolder(openFolder(real), real, '', given, 0)
    else if (stats.isFile()) {
      const root = dirname(real)
      const source = { folder: openFolder(root), root, path: basename(real), shown: given, isGiven: true }
      if (SKILL_FILE.test(basename(given))) addSkill(source)
      else listed.sources.push(source)
    } else throw new Error(`${given}: expected a file or a folder`)
  }
  return listed
}

/** Returns whether a file is a prompt file of a skill, so that its folder can be published: `hubcli push acme/pdf FOLDER`. */
function isSkillPrompt(folder: PlainFolder, path: string): boolean {
  const { keys = [] } = findFrontKeys(folder.read(path, MAX_SOURCE_BYTES).value?.toString() ?? '') ?? {}
  return keys.includes('skill') && isPromptFile(keys)
}

/** Returns the folder of a path; an empty path for the given folder itself. */
export const folderOf = (path: string): string => (path.includes('/') ? dirname(path) : '')
