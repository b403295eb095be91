// Responds to website requests with an Astro page or the not-found page.

import { ownerCacheTag, repositoryCacheTag, tagCacheTag } from '../../domain/api/caching.ts'
import { lowerCasePath, ROUTES } from '../../domain/api/routes.ts'
import { SUGGESTIONS_ADDRESS } from '../../domain/search/suggestions.ts'
import { isName, isOwner, isTag, isVersion } from '../../domain/values/names.ts'
import type { Connect, Hub, HubPages } from '../hub.ts'
import { findRepository } from '../read/records.ts'
import { findNewName, findNewOwner } from '../read/renamed.ts'
import { respondToError } from '../refusals.ts'
import { countRequest } from '../request.ts'
import { type PageResponse, REDIRECT_CACHING, respondWithPage, respondWithRedirect, wantsMarkdown } from '../respond.ts'
import { openPageData } from './page-data.ts'
import { formatSearchPageQuery, parseSearchPageQuery } from './search-page-query.ts'

/** The path of the not-found page. */
const NOT_FOUND = '/404'

/** Handles one page request. Never throws: errors become responses. */
export async function handlePage(request: Request, connect: Connect): Promise<Response> {
  const url = new URL(request.url)
  try {
    const moved = redirectMoved(url)
    if (moved) return moved
    const hub = await connect()
    const pages = await hub.pages()
    // No page has a percent-encoded path or an empty segment, so such a path is not found. The renderer would take what follows `//` for a host.
    const path = /%|\/\//.test(url.pathname) ? NOT_FOUND : withoutSlash(url.pathname)
    const file = wantsMarkdown(request) ? await findPromptFile(path, hub) : undefined
    if (file) return new Response(null, { status: 302, headers: file })
    const known = pages.cache?.find(path)
    if (known) return respondWithPage(request, known)
    await countRequest(hub)
    const now = await findNow(path, hub)
    if (now !== undefined) return respondWithRedirect(now + url.search)
    const address = hasQuery(path) ? formatSearchPageQuery(parseSearchPageQuery(url.searchParams), path) : path
    const make = () => makePage(address, path, hub, pages)
    return respondWithPage(request, await (pages.cache?.render(address, make) ?? make()))
  } catch (thrown) {
    return respondToError(request, thrown)
  }
}

const hasQuery = (path: string) => path === '/search' || path === SUGGESTIONS_ADDRESS

const withoutSlash = (path: string) => (path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path)

/** Finds the address of the page of a prompt or an owner that was renamed. */
async function findNow(path: string, { siteFiles }: Hub): Promise<string | undefined> {
  const [, owner = '', name, ...rest] = path.split('/')
  if (!isOwner(owner) || (name !== undefined && !isName(name))) return undefined
  const now = name === undefined ? await findNewOwner(owner, siteFiles) : await findNewName(owner, name, siteFiles)
  return now && ['', now, ...rest].join('/')
}

/** Finds the prompt file of the version that a page is about. @returns the headers of a redirect to it */
async function findPromptFile(path: string, hub: Hub): Promise<Record<string, string> | undefined> {
  const [, owner = '', name = '', section, version = '', more] = path.split('/')
  if (!(isOwner(owner) && isName(name)) || more !== undefined) return undefined
  if (section !== undefined && !(section === 'v' && isVersion(version))) return undefined
  await countRequest(hub)
  const shown = section === undefined ? (await findRepository(owner, name, hub))?.value().latest_version : version
  if (!shown) return undefined
  const values: Record<string, string> = { owner, name, version: shown, format: 'markdown' }
  const Location = ROUTES.exportVersion.path.replace(/\{(\w+)\}/g, (_, part: string) => values[part] ?? '')
  return { Location, 'Cache-Control': 'no-store', Vary: 'Accept' }
}

/** Redirects a URL whose page has moved. Returns undefined if it has not moved. */
export function redirectMoved(url: URL): Response | undefined {
  if (/^\/api\//i.test(url.pathname)) return respondWithRedirect(lowerCasePath(url.pathname) + url.search)
  const location = findMoved(url)
  if (location === undefined) return undefined
  return new Response(null, { status: 308, headers: { Location: location, ...REDIRECT_CACHING } })
}

/** Where people look for something that has another URL here. */
const GUESSED: ReadonlyMap<string, string> = new Map([
  ...['/login', '/signin', '/sign-in'].map((path) => [path, '/settings'] as const),
  ['/skills', '/docs/skills'],
  ['/owners', '/tags#owners'],
])

/** Returns the target of a redirect, if any. Guessed URLs redirect to the right ones, uppercase URLs redirect to lowercase, a version to its page below `/v/`, and the compare form to the page that compares the two versions. */
function findMoved({ pathname, search, searchParams }: URL): string | undefined {
  const path = withoutSlash(pathname)
  const lower = path.toLowerCase()
  const guessed = GUESSED.get(lower)
  if (guessed !== undefined) return guessed
  const [owner = '', name = '', version = '', ...rest] = lower.slice(1).split('/')
  const isBelowPrompt = isOwner(owner) && isName(name) && rest.length === 0
  if (isBelowPrompt && isVersion(version)) return `/${owner}/${name}/v/${version}${search}`
  const [from, to] = [searchParams.get('from') ?? '', searchParams.get('to') ?? '']
  if (isBelowPrompt && version === 'compare')
    return `/${owner}/${name}${isVersion(from) && isVersion(to) ? `/compare/${from}...${to}` : '#versions'}`
  return lower !== path && PLAIN_PATH.test(lower) ? lower + search : undefined
}

/** A path of this site alone: `//` would begin another host. */
const PLAIN_PATH = /^(?:\/[\w.-]+)+$/

/** Renders the page at a URL, or the not-found page. @param address the path with its query @throws the first error that a port threw during rendering */
async function makePage(
  address: string,
  path: string,
  hub: Hub,
  { render, profile, brokenOf, drawCard }: HubPages,
): Promise<PageResponse> {
  // Failures are recorded here, because Astro turns any exception into an empty response.
  const failures: unknown[] = []
  const data = openPageData(hub, brokenOf, (failure) => failures.push(failure))
  try {
    // If the prompt, owner or tag of a page does not exist, Astro renders the not-found page instead.
    const page = await render(address, {
      profile,
      hub: data,
      path,
      drawCard:
        drawCard &&
        ((card) =>
          drawCard(card).catch((failure: unknown) => {
            failures.push(failure)
            throw failure
          })),
    })
    const { status } = page
    if (failures.length > 0 || (status !== 200 && status !== 404))
      throw new Error(`${path} was rendered with status ${status}.`)
    const type = page.headers.get('Content-Type') ?? 'text/html'
    const mediaType = type === 'text/html' ? 'text/html; charset=utf-8' : type
    const bytes = new Uint8Array(await page.arrayBuffer())
    const expires = page.headers.get('Expires')
    // A page names the tags of the prompts that its prompt includes.
    const more = page.headers.get('Cache-Tag')?.split(',') ?? []
    const expiresAt = expires === null ? undefined : Date.parse(expires)
    const cacheTags = [...tagsOf(path), ...more]
    const hasMarkdown = /^\/[^/]+\/[^/]+(?:\/v\/[^/]+)?$/.test(path) && isOwner(path.split('/')[1] ?? '')
    return { bytes, status, mediaType, hasQuery: hasQuery(path), hasMarkdown, cacheTags, expiresAt }
  } catch (error) {
    throw failures[0] ?? error
  }
}

/** Returns the cache tags for a page: those of its repository, owner or tag. */
function tagsOf(path: string): string[] {
  const [first = '', second = '', third = ''] = path.slice(1).split('/')
  if (first === 'tags') return isTag(second) ? [tagCacheTag(second)] : []
  if (first === 'badges')
    return isOwner(second) ? [repositoryCacheTag(second, third.replace(/\.(?:svg|png)$/, ''))] : []
  if (!isOwner(first)) return []
  return isName(second) ? [repositoryCacheTag(first, second)] : [ownerCacheTag(first)]
}
