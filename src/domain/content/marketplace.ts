// Formats marketplaces of plugins, one plugin for each skill, as Claude Code reads them from a URL. https://code.claude.com/docs/en/plugin-marketplaces
import type { SkillIndexEntry } from './skill.ts'

/** A skill in a marketplace. */
export type MarketplaceSkill = Pick<SkillIndexEntry, 'name' | 'description' | 'version'> & {
  owner: string
  /** The SHA-256 of its plugin.zip, in hex; undefined if it is not known. */
  sha256: string | undefined
}

/** How many skills a marketplace has at most. */
export const MAX_PLUGINS = 1_000

/** Says where the plugin of a skill is: the keys of its entry that do. @param page the URL of its version */
export type PlacePlugin = (skill: MarketplaceSkill, page: string) => object

/** The plugin is an archive at an absolute URL, because a marketplace at a URL has no folder. */
const asArchive: PlacePlugin = ({ sha256 }, page) => ({
  source: { source: 'archive', url: `${page}/plugin.zip`, ...(sha256 !== undefined && { sha256 }) },
})

/** Formats a marketplace. @param of the owner of all skills, or undefined for the hub @param skills no two have the same name */
export function formatMarketplace(
  of: { name: string; owner: string | undefined },
  skills: readonly MarketplaceSkill[],
  baseUrl: string,
  place: PlacePlugin = asArchive,
): string {
  const { owner = new URL(baseUrl).host } = of
  return JSON.stringify({
    name: of.name,
    owner: { name: owner, url: of.owner === undefined ? baseUrl : `${baseUrl}/${of.owner}` },
    metadata: { description: `Agent Skills of ${owner}` },
    plugins: skills.slice(0, MAX_PLUGINS).map((skill) => {
      const page = `${baseUrl}/${skill.owner}/${skill.name}/v/${skill.version}`
      return {
        name: skill.name,
        version: skill.version,
        description: skill.description,
        author: { name: skill.owner },
        homepage: page,
        ...place(skill, page),
      }
    }),
  })
}

/** Returns the name of the hub's marketplace: its host, as a name in lower case. */
export const nameMarketplace = (baseUrl: string): string => new URL(baseUrl).host.replaceAll(/[^a-z0-9]+/g, '-')
