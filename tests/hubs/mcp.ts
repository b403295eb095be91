// An MCP server in this process: the real endpoint and read API over a generated catalogue.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { loadCatalogue } from '../../scripts/bench/load-catalogue.ts'
import { indexOf, placesOf } from '../../src/build/build-places.ts'
import { folderFiles } from '../../src/built/site-files-folder.ts'
import type { Catalogue } from '../../src/catalogue/catalogue.ts'
import { readConfig } from '../../src/config.ts'
import { filesInto } from '../../src/content/write-files.ts'
import { openSearchIndex } from '../../src/search/open-index.ts'
import { buildSearchIndex } from '../../src/search/write-index.ts'
import type { Hub } from '../../src/server/hub.ts'
import { handleMcp } from '../../src/server/mcp/handle-mcp.ts'
import { copiesAhead, UNKNOWN_SOURCE } from '../../src/state/fresh-copies.ts'
import { openCopies } from '../../src/state/stored-copies.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { openApp } from './app.ts'
import { BASE_URL, makeHub } from './make-hub.ts'
import { memoryState } from './memory-state.ts'
import { listSiteFiles } from './site-files.ts'

export { BASE_URL } from './make-hub.ts'
export const ENDPOINT = `${BASE_URL}/mcp`

type Json = Record<string, unknown>

export type McpHub = ReturnType<typeof openMcpHub>

/** Opens an MCP server and its read API in this process, with a content folder. */
export function openMcpHub(contentDir: string) {
  const dir = temporaryFolder('hub-mcp-')
  const siteDir = join(dir, 'dist')
  const catalogue = loadCatalogue(readConfig({ CONTENT_DIR: contentDir, SITE_URL: BASE_URL }))
  writeSite(catalogue, siteDir, contentDir)
  const index = openSearchIndex(indexOf(placesOf(siteDir)))
  const fresh = copiesAhead(openCopies(memoryState()), () => UNKNOWN_SOURCE)
  const hub = makeHub({ siteFiles: folderFiles(siteDir), fresh, search: () => index })
  /** Handles a request exactly as given. @param changed replaces parts of the hub */
  const answer = (request: Request, changed?: Partial<Hub>) => handleMcp(request, () => ({ ...hub, ...changed }))
  /** Sends a request in the 2025 protocol. @returns the result; throws if the server reports an error */
  const call = async (method: string, params: Json = {}): Promise<Json> => {
    const response = await answer(post({ jsonrpc: '2.0', id: 1, method, params }))
    const { result, error } = await response.json()
    if (error) throw Object.assign(new Error(error.message), error)
    return result
  }
  return {
    catalogue,
    fresh,
    hub,
    answer,
    /** A `fetch` for clients that sends requests to this server. */
    fetch: (address: string | URL, init?: RequestInit) => answer(new Request(address, init)),
    call,
    /** Sends a `tools/call` request. */
    tool: (name: string, given?: Json) => call('tools/call', { name, ...(given && { arguments: given }) }),
    /** Returns a parsed response from the read API. */
    rest: async (path: string): Promise<Json> => (await openApp(() => hub)(new Request(BASE_URL + path))).json(),
    close: () => index.close(),
  }
}

/** Writes the data and the search index of a built site. */
export function writeSite(catalogue: Catalogue, siteDir: string, contentDir: string): void {
  const put = filesInto(siteDir)
  for (const [path, content] of listSiteFiles(catalogue, contentDir)) put(path, content)
  const places = placesOf(siteDir)
  mkdirSync(places.build, { recursive: true })
  buildSearchIndex(catalogue, indexOf(places))
}

/** Returns a POST request as a client sends it. @param body serialised as JSON unless it is a string */
export function post(body: unknown, headers: Record<string, string> = {}, address = ENDPOINT): Request {
  return new Request(address, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

/** Returns the headers and the body of a request in the 2026 protocol. */
export function modern(method: string, params: Json = {}, headers: Record<string, string> = {}): Request {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const name = params.name ?? params.uri
  return post(
    { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } },
    {
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': method,
      ...(typeof name === 'string' && /^(?:tools\/call|prompts\/get|resources\/read)$/.test(method)
        ? { 'Mcp-Name': name }
        : {}),
      ...headers,
    },
  )
}
