// Lists the settings that affect the files of a site. If one changes, the files are written again.
import type { Config } from '../../config.ts'
import { readHubLook } from '../../stores/content/site-settings-file.ts'

/** The settings shown on a site: its address, the git host for links, the rate limit in its guide, and the hub's own look. None is secret. */
export function settingsOfSite({ baseUrl, contentDir, gitStore, rateLimitPerMinute }: Config): string {
  const { kind } = gitStore
  const place = kind === 'github' ? [gitStore.apiUrl, gitStore.repository, gitStore.branch] : []
  return JSON.stringify([baseUrl, kind, place, rateLimitPerMinute, readHubLook(contentDir)])
}
