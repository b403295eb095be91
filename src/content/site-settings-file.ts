// Reads the hub's name and appearance from the content folder: `site.yml` and the logo that it names.
import { DEFAULT_LOOK, type HubLook } from '../domain/content/look.ts'
import { openFolder } from '../files/plain-files.ts'
import { createGit } from '../git/git-command.ts'
import { readObjects } from '../git/git-objects.ts'
import { readListed } from './content-dir.ts'
import type { ContentReader } from './content-files.ts'

/** The files that the look may be in. */
const LOOK_FILES = ['site.yml', 'logo.svg', 'logo.png']

/** Reads the site settings. Missing or invalid parts are treated as omitted here; the content check reports them. */
export function readHubLook(folder: ContentReader): HubLook {
  const read = (path: string) => readListed(folder, path).parsed
  const site = read('site.yml')
  if (site?.kind !== 'site') return DEFAULT_LOOK
  const { logo: name, ...look } = site.value
  const logo = name === undefined ? undefined : read(name)
  return { ...look, logo: name !== undefined && logo?.kind === 'logo' ? { name, data: logo.value } : undefined }
}

/** Opens a content folder to read its look: each file as it is in the folder, or else as the commit has it. @param environment usually `process.env`; used to find git */
export async function openLook(
  contentDir: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ContentReader> {
  const folder = openFolder(contentDir)
  const names = LOOK_FILES.map((path) => `HEAD:./${path}`)
  // Without git or a commit, only the folder counts.
  const objects = await readObjects(createGit(contentDir, environment), names).catch(() => [])
  return {
    read(path, maxBytes) {
      const opened = folder.read(path, maxBytes)
      const object = opened.refusal === 'missing' ? objects[LOOK_FILES.indexOf(path)] : undefined
      if (object?.type !== 'blob') return opened
      return object.bytes.length > maxBytes ? { refusal: 'long' } : { value: object.bytes }
    },
  }
}
