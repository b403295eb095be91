// Lists the settings that affect the files of a site. If one changes, the files are written again.
import { type Config, findSourceHost } from '../../config.ts'
import { readHubLook } from '../../stores/content/site-settings-file.ts'

/** Returns the settings shown on a site: its base URL, its repository for the guides, the rate limit, and the hub's own look. None is secret. */
export function settingsOfSite(config: Config): string {
  const { baseUrl, contentDir, rateLimitPerMinute } = config
  return JSON.stringify([baseUrl, findSourceHost(config)?.repository, rateLimitPerMinute, readHubLook(contentDir)])
}
