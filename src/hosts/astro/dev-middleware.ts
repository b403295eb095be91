// Provides page data in `npm run dev`, from the running hub; everywhere else, the function `pages` does this.
import type { MiddlewareHandler } from 'astro'
import { serveLook } from '../../build/hub-look.ts'
import { runInPlace } from '../../concurrency/long-work.ts'
import { findProfile, readConfig } from '../../config.ts'
import { readHubLook } from '../../content/site-settings-file.ts'
import { ROUTES } from '../../domain/api/routes.ts'
import type { RepositorySummary, SearchMeta } from '../../domain/api/schema.ts'
import { openFolder } from '../../files/plain-files.ts'
import type { Search } from '../../search/search.ts'
import { redirectMoved } from '../../server/pages/handle-page.ts'
import { openPageData } from '../../server/pages/page-data.ts'
import { findServedContent } from '../node/own-catalogue.ts'

const config = readConfig(process.env)
const { baseUrl } = config
const ask = (path: string) => fetch(new URL(path, `http://localhost:${config.port}`))

const siteFiles = {
  async read(path: string) {
    const response = await ask(path)
    return response.ok ? new Uint8Array(await response.arrayBuffer()) : undefined
  },
}

/** Searches the way a client of the API does. Pages ask for whole pages of results. */
const find: Search['find'] = async ({ text, tags, sort, offset, limit }) => {
  const query = new URLSearchParams([
    ['q', text],
    ['page', String(Math.floor(offset / limit) + 1)],
    ...tags.map((tag) => ['tag', tag]),
    ...(sort ? [['sort', sort]] : []),
  ])
  const response = await ask(`${ROUTES.listRepositories.path}?${query}`)
  const { data, meta }: { data: RepositorySummary[]; meta: SearchMeta } = await response.json()
  const { total, total_is_exact: isTotalExact = true, matched } = meta
  return { matches: data.slice(0, limit), total, isTotalExact, matched }
}

const nothing = async () => undefined
/** A hub shows a publish in its files within seconds, so fresh copies are not needed here. */
const sources = {
  baseUrl,
  siteFiles,
  fresh: { find: nothing, findOwner: nothing, findVersion: nothing, findFiles: nothing, listNames: async () => [] },
  search: () => ({ find }),
  runLong: runInPlace,
}

export const onRequest: MiddlewareHandler = ({ url, locals }, next) => {
  const profile = findProfile(config, serveLook(readHubLook(openFolder(findServedContent(config)))).shown)
  Object.assign(locals, {
    profile,
    hub: openPageData(
      sources,
      () => [],
      () => {},
    ),
    path: url.pathname,
  })
  return redirectMoved(url) ?? next()
}
