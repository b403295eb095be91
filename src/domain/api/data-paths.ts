// The addresses of records: the paths of the data files, which the build writes and the read function reads, and the URLs that records have.

/** The sort orders of a list. */
export const SORTS = ['top', 'trending', 'new'] as const
/** A sort order. */
export type Sort = (typeof SORTS)[number]

/** Number of prompts in a list of newest versions; the same as the number of feed entries. */
export const MAX_RECENT = 30

/** The paths of the data files, relative to the site's root. The build writes them, and the read function reads them. docs/contract.md section 4. */
export const DATA_FILES = {
  index: () => '/data/v1/index.json',
  list: (order: Sort | '{sort}', page: number | '{page}') => `/data/v1/lists/${order}/${page}.json`,
  tags: () => '/data/v1/tags.json',
  users: () => '/data/v1/users.json',
  recent: () => '/data/v1/lists/recent.json',
  recentlyTagged: (tag: string) => `/data/v1/tags/${tag}/recent.json`,
  tagged: (tag: string, order: Sort | '{sort}', page: number | '{page}') =>
    `/data/v1/tags/${tag}/${order}/${page}.json`,
  user: (handle: string) => `/data/v1/users/${handle}.json`,
  /** A page of the index of all skills. */
  hubSkills: (page: number | '{page}') => (page === 1 ? '/data/v1/skills.json' : `/data/v1/skills/pages/${page}.json`),
  labelled: (handle: string, label: string) => `/data/v1/users/${handle}/labels/${label}.json`,
  /** The plugins of the hub, and of an owner, for Claude Code. */
  hubMarketplace: () => '/data/v1/marketplace.json',
  marketplace: (owner: string) => `/data/v1/marketplaces/${owner}.json`,
  skills: (owner: string) => `/data/v1/skills/${owner}.json`,
  repository: (owner: string, name: string) => `/data/v1/repos/${owner}/${name}.json`,
  /** All versions in brief. */
  versions: (owner: string, name: string) => `/data/v1/repos/${owner}/${name}/versions.json`,
  /** A page of the list of versions. No version has such a number. */
  versionPage: (owner: string, name: string, page: number | '{page}') =>
    `/data/v1/repos/${owner}/${name}/versions/pages/${page}.json`,
  version: (owner: string, name: string, version: string) => `/data/v1/repos/${owner}/${name}/versions/${version}.json`,
  forks: (owner: string, name: string) => `/data/v1/forks/${owner}/${name}.json`,
  dependents: (owner: string, name: string) => `/data/v1/dependents/${owner}/${name}.json`,
  /** An owner’s prompts that include others. */
  composed: (handle: string) => `/data/v1/users/${handle}/composed.json`,
  models: () => '/data/v1/models.json',
  /** The file that states how far back the git history goes. */
  history: () => '/data/v1/history.json',
  activity: (owner: string, name: string) => `/data/v1/activity/${owner}/${name}.json`,
  changes: (owner: string, name: string) => `/data/v1/repos/${owner}/${name}/changes.json`,
  raw: (owner: string, name: string) => `/data/v1/repos/${owner}/${name}/raw.txt`,
  rawVersion: (owner: string, name: string, version: string) => `/data/v1/repos/${owner}/${name}/raw/${version}.txt`,
  skill: (owner: string, name: string, version: string) => `/data/v1/repos/${owner}/${name}/skills/${version}.md`,
  trustedRoot: () => '/data/v1/trusted-root.json',
  /** A file of a skill, its archive, or an attestation. The name is its SHA-256, so that no host guesses a type that a browser runs. */
  blob: (owner: string, name: string, sha256: string) => `/data/v1/repos/${owner}/${name}/blobs/${sha256}.bin`,
  /** The versions that APM can install. */
  apm: (owner: string, name: string) => `/data/v1/repos/${owner}/${name}/apm.json`,
  /** The versions that npm can install. */
  npm: (owner: string, name: string) => `/data/v1/repos/${owner}/${name}/npm.json`,
  /** What a version of a skill can do. */
  capabilities: (owner: string, name: string, version: string) =>
    `/data/v1/repos/${owner}/${name}/capabilities/${version}.json`,
  /** The results of a version. */
  results: (owner: string, name: string, version: string) => `/data/v1/repos/${owner}/${name}/results/${version}.json`,
  /** The newest results of all versions, for the activity. */
  newestResults: (owner: string, name: string) => `/data/v1/repos/${owner}/${name}/results.json`,
  openapi: () => '/data/v1/openapi.json',
} as const

/** Returns the path of the file with an owner's unlisted prompts. An owner without any has no file. @param owner a validated handle */
export const unlistedPath = (owner: string) => `/data/accounts/unlisted/${owner}.json`

/** Returns functions that build the URLs of a hub. @param baseUrl without a trailing slash */
export function addressesBelow(baseUrl: string) {
  const api = `${baseUrl}/api/v1`
  return {
    repository(owner: string, name: string) {
      const url = `${api}/repos/${owner}/${name}`
      return { url, html_url: `${baseUrl}/${owner}/${name}`, raw_url: `${url}/raw` }
    },
    version(owner: string, name: string, version: string) {
      const url = `${api}/repos/${owner}/${name}`
      return { url: `${url}/versions/${version}`, raw_url: `${url}/raw?version=${version}` }
    },
    file: (owner: string, name: string, version: string, path: string) =>
      `${api}/repos/${owner}/${name}/versions/${version}/files/${path}`,
    attestation: (owner: string, name: string, version: string, file: string) =>
      `${api}/repos/${owner}/${name}/versions/${version}/attestations/${file}`,
    versionPage: (owner: string, name: string, version: string) => `${baseUrl}/${owner}/${name}/v/${version}`,
    tag: (tag: string) => `${api}/repos?tag=${tag}`,
    userPage: (handle: string) => `${baseUrl}/${handle}`,
  }
}

/** The functions that build a hub's URLs. */
export type Addresses = ReturnType<typeof addressesBelow>
