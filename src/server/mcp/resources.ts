// Serves prompts as MCP resources.

import { printable } from '../../domain/text/printable.ts'
import { isName, isOwner, isVersion } from '../../domain/values/names.ts'
import type { Hub } from '../hub.ts'
import { findContent, findRepository } from '../read/records.ts'
import { formatMenuEntry } from './prompts.ts'
import { type McpFailure, type McpResult, unknownName } from './protocol.ts'

const MEDIA_TYPE = 'text/plain'

/** The URI templates for resources, for `resources/templates/list`. */
export const TEMPLATES = [
  {
    uriTemplate: 'hub://prompts/{owner}/{name}',
    name: 'prompt',
    title: 'A prompt at its latest version',
    description: 'The prompt’s content, byte for byte; placeholders are not filled.',
    mimeType: MEDIA_TYPE,
  },
  {
    uriTemplate: 'hub://prompts/{owner}/{name}/versions/{version}',
    name: 'prompt-version',
    title: 'A prompt at one version',
    description: 'The content of one version, which never changes; placeholders are not filled.',
    mimeType: MEDIA_TYPE,
  },
] as const

/** Handles `resources/list`. */
export async function listResources(hub: Hub): Promise<McpResult> {
  const entries = await hub.search().listMenu()
  const resources = entries.map(({ owner, name, updated_at, ...entry }) => ({
    uri: `hub://prompts/${owner}/${name}`,
    name: `${owner}/${name}`,
    description: formatMenuEntry(entry),
    mimeType: MEDIA_TYPE,
    annotations: { audience: ['user', 'assistant'], lastModified: updated_at },
  }))
  return { resources }
}

/** Handles `resources/read`: returns the stored content. */
export async function readResource(params: Record<string, unknown>, hub: Hub): Promise<McpResult> {
  const { uri } = params
  if (typeof uri === 'string' && uri.startsWith('skill:')) {
    const contents = await (await import('./skills.ts')).readSkillFile(uri, hub)
    if (contents === undefined) throw resourceNotFound(uri)
    return { contents: [{ uri, ...contents }] }
  }
  const parts = typeof uri === 'string' ? splitAddress(uri) : undefined
  const text = parts && (await readText(parts, hub))
  if (text === undefined) throw resourceNotFound(uri)
  return { contents: [{ uri, mimeType: MEDIA_TYPE, text }] }
}

/** Reads the content of the given version or, by default, the latest version. Returns undefined if there is no such version. */
async function readText({ owner, name, version }: ResourceParts, hub: Hub): Promise<string | undefined> {
  if (version === undefined) return (await findRepository(owner, name, hub))?.value().content ?? undefined
  const bytes = await findContent(owner, name, version, hub)
  return bytes && new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}

interface ResourceParts {
  owner: string
  name: string
  version: string | undefined
}

/** Parses a resource URI. Returns undefined if the URI is malformed, so that no store is queried for it. */
function splitAddress(uri: string): ResourceParts | undefined {
  const [, owner = '', name = '', version] =
    /^hub:\/\/prompts\/([^/]+)\/([^/]+)(?:\/versions\/([^/]+))?$/.exec(uri) ?? []
  if (!isOwner(owner) || !isName(name) || (version !== undefined && !isVersion(version))) return undefined
  return { owner, name, version }
}

function resourceNotFound(uri: unknown): McpFailure {
  const forms = TEMPLATES.map(({ uriTemplate }) => uriTemplate).join(' or ')
  const data = { uri: typeof uri === 'string' ? printable(uri) : '' }
  return unknownName('resource', uri || undefined, `Valid URIs have the form ${forms}.`, data)
}
