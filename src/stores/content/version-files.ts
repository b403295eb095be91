// Lists and reads the files of one prompt, for commands that add a version.
import { formatPath, parsePath } from '../../domain/content/content-path.ts'
import { describeRefusal, openFolder } from '../files/plain-files.ts'
import { MAX_FILE_BYTES } from './content-file.ts'

/** A prompt's place in the content folder. */
interface PromptPlace {
  owner: string
  name: string
}

/** Lists a prompt's version numbers, in any order. @returns undefined if the prompt has no versions folder @throws Error if the folder cannot be listed, or is reached through a link */
export function listVersions(dir: string, { owner, name }: PromptPlace): string[] | undefined {
  const below = `${owner}/${name}/versions`
  try {
    return openFolder(dir)
      .list(below)
      .flatMap((entry) => {
        const place = parsePath(`${below}/${entry.name}`).value
        return place?.kind === 'version' ? [place.version] : []
      })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** Reads a version file. @throws Error if it cannot be read */
export function readVersion(dir: string, place: PromptPlace & { version: string }): string {
  const path = formatPath({ kind: 'version', ...place })
  const { value, refusal } = openFolder(dir).read(path, MAX_FILE_BYTES)
  if (refusal) throw new Error(`content/${path}: ${describeRefusal(refusal, MAX_FILE_BYTES)}`)
  return value.toString()
}
