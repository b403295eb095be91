// Reads the hub's name and appearance from the content folder: `site.yml` and the logo that it names.
import { join } from 'node:path'
import { DEFAULT_LOOK, type HubLook } from '../../domain/content/look.ts'
import { parseSiteFile } from '../../domain/content/site-file.ts'
import { readOptional } from './content-files.ts'

/** Reads the site settings. Missing or invalid parts are treated as omitted here; the content check reports them. */
export function readHubLook(contentDir: string): HubLook {
  const site = parseSiteFile(readOptional(join(contentDir, 'site.yml'))?.toString() ?? '').value
  if (!site) return DEFAULT_LOOK
  const data = site.logo && readOptional(join(contentDir, site.logo))?.toString('base64')
  return { ...site, logo: site.logo && data ? { name: site.logo, data } : undefined }
}
