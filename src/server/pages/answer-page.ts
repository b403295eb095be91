// Owns the pages that no build can write: what was searched for, what was published since the last build, comparisons of any two versions, and what is not there.

import {
  fitTitle,
  MEANT_PLACE,
  NOT_FOUND_PATH,
  PAGE_FRAME_PATH,
  PAGE_PLACE,
  PAGE_TITLE,
} from '../../domain/api/page-frames.ts'
import { CACHE_CONTROL } from '../../domain/api/routes.ts'
import { headersOf } from '../../domain/api/site-headers.ts'
import { isName, isOwner, isVersion } from '../../domain/content/names.ts'
import { readBuilt } from '../../ports/site-files.ts'
import { type Html, html } from '../account/html.ts'
import type { Connect } from '../connect.ts'
import { findClose } from '../read/close-names.ts'
import type { ReadDependencies } from '../read/read.ts'
import { findRepository, findTags, findVersion, findVersions } from '../read/records.ts'
import { answerThrown, refuseRate } from '../refusals.ts'
import { respondWithBytes } from '../respond.ts'
import { drawFound } from './draw-find.ts'
import { drawComparing, drawUnbuilt } from './draw-unbuilt.ts'
import { findPrompts } from './find.ts'
import { parseFindQuestion } from './find-question.ts'
import { findNearbyWords } from './nearby.ts'

/** How many tags are offered when nothing was found. */
const MOST_TAGS = 12

/** Answers an address of the website at which no file is. Never throws: everything becomes an answer. */
export async function answerPage(request: Request, connect: Connect<ReadDependencies>): Promise<Response> {
  const url = new URL(request.url)
  try {
    const moved = findMoved(url)
    if (moved !== undefined) return redirect(moved)
    const tools = await connect()
    const waitSeconds = tools.limiter.take(tools.clientAddress)
    if (waitSeconds > 0) throw refuseRate('requests', waitSeconds)
    const path = withoutSlash(url.pathname)
    if (path === '/search') return await answerFind(request, url, tools)
    const [owner = '', name = '', kind, place = ''] = path.slice(1).split('/')
    if (kind !== undefined && kind !== 'v' && kind !== 'compare')
      return await answerNothing(request, owner, name, tools)
    if (kind === 'compare')
      return (
        (await answerComparing(request, { owner, name, place }, tools)) ??
        (await answerNothing(request, owner, name, tools))
      )
    return (
      (await answerUnbuilt(request, { owner, name, version: kind === 'v' ? place : undefined }, tools)) ??
      (await answerNothing(request, owner, name, tools))
    )
  } catch (thrown) {
    return answerThrown(request, thrown)
  }
}

const withoutSlash = (path: string) => (path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path)

/** Where an address is redirected to: upper case to lower case, a version to its page below `v`, and a pair of versions that a form asked for to the page that compares them. */
function findMoved({ pathname, search, searchParams }: URL): string | undefined {
  const path = withoutSlash(pathname)
  const lower = path.toLowerCase()
  const [owner = '', name = '', version = '', ...rest] = lower.slice(1).split('/')
  if (!isOwner(owner) || (name !== '' && !isName(name))) return undefined
  if (isVersion(version) && rest.length === 0) return `/${owner}/${name}/v/${version}${search}`
  const [from, to] = [searchParams.get('from') ?? '', searchParams.get('to') ?? '']
  if (version === 'compare' && rest.length === 0)
    return `/${owner}/${name}${isVersion(from) && isVersion(to) ? `/compare/${from}...${to}` : '#versions'}`
  return lower === path ? undefined : lower + search
}

function redirect(location: string): Response {
  return new Response(null, { status: 308, headers: { Location: location, 'Cache-Control': CACHE_CONTROL.changing } })
}

async function answerFind(request: Request, url: URL, tools: ReadDependencies): Promise<Response> {
  const question = parseFindQuestion(url.searchParams)
  const found = await findPrompts(question, tools.search())
  const isNothing = found.rows.length === 0
  const tags = isNothing ? await readTags(tools) : []
  const nearby = isNothing ? await findNearbyWords(question.q, tools.search()) : []
  return sendPage(request, tools, {
    title: question.q === '' ? 'Prompts' : `Prompts for “${question.q}”`,
    main: drawFound(question, found, { tags, nearby }),
    cache: CACHE_CONTROL.changing,
  })
}

async function readTags(tools: ReadDependencies): Promise<string[]> {
  const tags = (await findTags(tools)).value()
  return tags.slice(0, MOST_TAGS).map(({ name }) => name)
}

/** Answers a prompt or version that has no page yet: it was published since the last build, or our host has its records already and is still rendering its page. @returns undefined when there is no such version */
async function answerUnbuilt(
  request: Request,
  { owner, name, version }: { owner: string; name: string; version: string | undefined },
  tools: ReadDependencies,
): Promise<Response | undefined> {
  if (!isOwner(owner) || !isName(name) || (version !== undefined && !isVersion(version))) return undefined
  const repository = (await findRepository(owner, name, tools))?.value()
  const wanted = version ?? repository?.latest_version
  if (!repository || !wanted) return undefined
  const record = (await findVersion(owner, name, wanted, tools))?.value()
  if (!record) return undefined
  return sendPage(request, tools, {
    title: repository.title,
    main: drawUnbuilt(repository, record),
    cache: 'no-store',
  })
}

/** Answers a pair of versions that no page was built for, with a page whose script compares them. @returns undefined when one of them does not exist */
async function answerComparing(
  request: Request,
  { owner, name, place }: { owner: string; name: string; place: string },
  tools: ReadDependencies,
): Promise<Response | undefined> {
  const [from = '', to = '', ...rest] = place.split('...')
  if (!isOwner(owner) || !isName(name) || !isVersion(from) || !isVersion(to) || rest.length > 0) return undefined
  const found = await findVersions(owner, name, tools)
  const versions = found?.versions.value() ?? []
  if (!found || ![from, to].every((wanted) => versions.some(({ version }) => version === wanted))) return undefined
  const repository = found.repository.value()
  return sendPage(request, tools, {
    title: `${repository.title}: ${from} to ${to}`,
    main: drawComparing(repository, versions, { from, to }),
    cache: CACHE_CONTROL.changing,
  })
}

async function answerNothing(
  request: Request,
  owner: string,
  name: string,
  tools: ReadDependencies,
): Promise<Response> {
  const page = new TextDecoder().decode(await readBuilt(tools.siteFiles, NOT_FOUND_PATH))
  const meant = isOwner(owner) && isName(name) ? await findMeant(owner, name, tools) : undefined
  const bytes = new TextEncoder().encode(page.replace(MEANT_PLACE, () => meant?.text ?? ''))
  return respondWithBytes(request, bytes, 404, pageHeaders('public, max-age=30'))
}

/** The names that may have been meant, the same that the API gives in its error. */
async function findMeant(owner: string, name: string, tools: ReadDependencies): Promise<Html | undefined> {
  const names = await findClose(owner, name, tools)
  if (names.length === 0) return undefined
  return html`<p>Did you mean ${names.map((one, index) => html`${index > 0 ? ', ' : ''}<a href="/${one}">${one}</a>`)}?</p>`
}

interface Page {
  title: string
  main: Html
  cache: string
}

async function sendPage(
  request: Request,
  { siteFiles }: ReadDependencies,
  { title, main, cache }: Page,
): Promise<Response> {
  const frame = new TextDecoder().decode(await readBuilt(siteFiles, PAGE_FRAME_PATH))
  const page = frame
    .replace(fitTitle(PAGE_TITLE), () => html`${fitTitle(title)}`.text)
    .replaceAll(PAGE_TITLE, () => html`${title}`.text)
    .replace(PAGE_PLACE, () => main.text)
  return respondWithBytes(request, new TextEncoder().encode(page), 200, pageHeaders(cache))
}

function pageHeaders(cache: string): Record<string, string> {
  return {
    ...headersOf('/search'),
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': cache,
    ...(cache === 'no-store' ? {} : { 'Netlify-Vary': 'query' }),
  }
}
