// Reads the hub's name and appearance from the content folder: `site.yml` and the logo that it names.
import { DEFAULT_LOOK, type HubLook } from '../../../src/domain/content/look.ts'
import { readListed } from './content-dir.ts'
import type { ContentReader } from './lost-files.ts'

/** The files that the look may be in. */
export const LOOK_FILES = ['site.yml', 'logo.svg', 'logo.png']

/** Reads the site settings. Missing or invalid parts are treated as omitted here; the content check reports them. */
export function readHubLook(folder: ContentReader): HubLook {
  const read = (path: string) => readListed(folder, { path }).parsed
  const site = read('site.yml')
  if (site?.kind !== 'site') return DEFAULT_LOOK
  const { logo: name, ...look } = site.value
  const logo = name === undefined ? undefined : read(name)
  return { ...look, logo: name !== undefined && logo?.kind === 'logo' ? { name, data: logo.value } : undefined }
}
