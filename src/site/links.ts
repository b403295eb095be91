// Builds the URLs of the site's pages, and decides which external URLs may be linked.

/** URL schemes that may be linked; URLs with other schemes, especially `javascript:` and `data:`, stay plain text. docs/notes/security.md section 5. */
const LINKED_SCHEMES = ['http', 'https', 'mailto'] as const

/** The `rel` of links whose target was chosen by a user. */
export const FOREIGN_LINK = 'nofollow ugc noopener'

/** Returns the path of a repository's page. @param fullName owner/name */
export const repositoryPage = (fullName: string): string => `/${fullName}`
/** Returns the path of the list of a repository's forks. */
export const forksPage = (fullName: string): string => `/${fullName}/forks`
/** Returns the path of the list of prompts that include a repository. */
export const dependentsPage = (fullName: string): string => `/${fullName}/dependents`
/** Returns the path of a page of a repository's versions. @param page 1-based */
export const versionsPage = (fullName: string, page = 1): string =>
  page === 1 ? `/${fullName}/versions` : `/${fullName}/versions/${page}`
/** Returns the path of the form for a fork of a version. */
export const forkPage = (fullName: string, version: string): string => `/new?from=${fullName}@${version}`
/** Returns the path of the form for the next version. @param version the version to revert to; omitted to start from the latest version */
export const editPage = (fullName: string, version?: string): string =>
  `/${fullName}/edit${version === undefined ? '' : `?version=${version}`}`
export const managePage = (fullName: string): string => `/${fullName}/manage`
/** Returns where readers report a version to the operator. @param address as in `site.yml`, where `{prompt}` stands for the version */
export const reportPage = (address: string, fullName: string, version: string): string =>
  address.replaceAll('{prompt}', encodeURIComponent(`${fullName}@${version}`))
export const ownerPage = (handle: string): string => `/${handle}`
/** Returns the path of a tag's page. @param page 1-based */
export const tagPage = (tag: string, page = 1): string => (page === 1 ? `/tags/${tag}` : `/tags/${tag}/${page}`)

export const searchPage = (q: string): string => `/search?${new URLSearchParams({ q })}`

/** Removes the base URL from a URL, so that links on a page work wherever the site is served. */
export function withoutBase(address: string, baseUrl: string): string {
  return address.startsWith(`${baseUrl}/`) ? address.slice(baseUrl.length) : address
}

/** Returns a URL as a link target, or undefined if it must stay plain text. @param address as entered by a user */
export function linkTarget(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined
  const { protocol, href } = new URL(address)
  return LINKED_SCHEMES.some((scheme) => protocol === `${scheme}:`) ? href : undefined
}

/** The base for relative links; no site has this host. */
const THIS_SITE = new URL('https://this-site.invalid')

/** Returns whether a link in a user's text is allowed: its target has an allowed scheme, or is on this site. */
export function isLinkable(address: string): boolean {
  return (
    linkTarget(address) !== undefined ||
    (!URL.canParse(address) && URL.parse(address, THIS_SITE)?.origin === THIS_SITE.origin)
  )
}

/** Returns the URL of a license's page; undefined if there is no license or more than one identifier. @param license an SPDX expression */
export function findLicensePage(license: string | null): string | undefined {
  return license !== null && /^[A-Za-z0-9.-]+$/.test(license) ? `https://spdx.org/licenses/${license}.html` : undefined
}

export const versionPage = (fullName: string, version: string): string => `/${fullName}/v/${version}`
export const comparePage = (fullName: string, from: string, to: string): string =>
  `/${fullName}/compare/${from}...${to}`
/** Number of versions per repository, newest first, whose comparison with the previous version is in the sitemap. */
export const NEWEST_COMPARED = 10
