// Lists the settings that affect a site's files. If any of them changes, the files are rewritten.
import { type Config, findSourceHost } from '../../config.ts'
import { readHubLook } from '../../stores/content/site-settings-file.ts'

/** Returns the settings that appear on a site: its base URL, the source repository shown in the guides, the rate limit and the hub's look. None of them is secret. */
export function settingsOfSite(config: Config): string {
  const { baseUrl, contentDir, rateLimitPerMinute } = config
  return JSON.stringify([baseUrl, findSourceHost(config)?.repository, rateLimitPerMinute, readHubLook(contentDir)])
}
