// Lists the settings that affect the files of a site. If one changes, the files are written again.
import type { Config } from '../../config.ts'
import { readHubLook } from '../../stores/content/site-settings-file.ts'

/** Says the settings that a site shows: its address, the git host that its pages link to, the limit that its guide names, and the hub's own look. No secret is among them. */
export function settingsOfSite({ baseUrl, contentDir, gitStore, rateLimitPerMinute }: Config): string {
  const { kind } = gitStore
  const place = kind === 'github' ? [gitStore.apiUrl, gitStore.repository, gitStore.branch] : []
  return JSON.stringify([baseUrl, kind, place, rateLimitPerMinute, readHubLook(contentDir)])
}
