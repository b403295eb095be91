// Owns which settings decide about the files of a site: when one of them changes, the files are made anew.
import type { Config } from '../../config.ts'

/** Says the settings that a site shows: its address, the git host that its pages link to, and the limit that its guide names. No secret is among them. */
export function settingsOfSite({ baseUrl, gitStore, rateLimitPerMinute }: Config): string {
  const { kind } = gitStore
  const place = kind === 'github' ? [gitStore.apiUrl, gitStore.repository, gitStore.branch] : []
  return JSON.stringify([baseUrl, kind, place, rateLimitPerMinute])
}
