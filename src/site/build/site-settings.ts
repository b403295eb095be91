// Lists the settings that affect the files of a site. If one changes, the files are written again.
import type { Config } from '../../config.ts'

/** Says the settings that a site shows: its address, the git host that its pages link to, and the limit that its guide names. No secret is among them. */
export function settingsOfSite({ baseUrl, gitStore, rateLimitPerMinute }: Config): string {
  const { kind } = gitStore
  const place = kind === 'github' ? [gitStore.apiUrl, gitStore.repository, gitStore.branch] : []
  return JSON.stringify([baseUrl, kind, place, rateLimitPerMinute])
}
