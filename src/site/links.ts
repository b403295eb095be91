// Builds the addresses of the site's pages, and decides which external addresses may be linked.

/** Schemes that may be linked; everything else, especially `javascript:` and `data:`, stays text. docs/notes/security.md section 5. */
export const LINKED_SCHEMES = ['http', 'https', 'mailto'] as const

/** The `rel` of links whose target was chosen by a user. */
export const FOREIGN_LINK = 'nofollow ugc noopener'

/** Returns the page of a repository. @param fullName owner/name */
export const repositoryPage = (fullName: string): string => `/${fullName}`
/** Returns the page of an owner. */
export const ownerPage = (handle: string): string => `/${handle}`
/** Returns a page of a tag, from 1. */
export const tagPage = (tag: string, page = 1): string => (page === 1 ? `/tags/${tag}` : `/tags/${tag}/${page}`)

/** Returns the page of a search. */
export const searchPage = (q: string): string => `/search?${new URLSearchParams({ q })}`

/** Removes the base from an address, so that a page works wherever the site is served. */
export function withoutBase(address: string, baseUrl: string): string {
  return address.startsWith(`${baseUrl}/`) ? address.slice(baseUrl.length) : address
}

/** Returns the address as a link target, or undefined when it must stay text. @param address as entered by a user */
export function linkTarget(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined
  const { protocol, href } = new URL(address)
  return LINKED_SCHEMES.some((scheme) => protocol === `${scheme}:`) ? href : undefined
}

/** Returns the page of a licence; undefined without a licence, or for more than a single identifier. @param license an SPDX expression */
export function findLicensePage(license: string | null): string | undefined {
  return license !== null && /^[A-Za-z0-9.-]+$/.test(license) ? `https://spdx.org/licenses/${license}.html` : undefined
}

/** The address of the list of repositories; a test keeps it equal to the table's (tests/addresses.test.ts). */
export const ROUTES_LIST = '/api/v1/repos'
/** Returns the page of one version. */
export const versionPage = (fullName: string, version: string): string => `/${fullName}/v/${version}`
/** Returns the page that compares two versions. */
export const comparePage = (fullName: string, from: string, to: string): string =>
  `/${fullName}/compare/${from}...${to}`
/** How many of a repository's newest versions have a page that compares them with the previous one. docs/contract.md section 11 */
export const NEWEST_COMPARED = 10
