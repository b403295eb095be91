// Owns prompts as resources: their addresses, their menu, and their stored text.

import { HubError } from '../../domain/api/errors.ts'
import { isName, isOwner, isVersion } from '../../domain/content/names.ts'
import { printable } from '../../domain/content/printable.ts'
import { ANSWERS, type ReadTools } from '../read/answers.ts'
import { readMenu } from './menu.ts'
import { sayMenu } from './prompts.ts'
import { CODES, type Era, McpFailure, type McpResult } from './protocol.ts'

const MEDIA_TYPE = 'text/plain'

/** The forms that a resource's address has. */
export const TEMPLATES = [
  {
    uriTemplate: 'hub://prompts/{owner}/{name}',
    name: 'prompt',
    title: 'A prompt at its latest version',
    description: 'The text of a prompt, byte for byte; placeholders are not filled.',
    mimeType: MEDIA_TYPE,
  },
  {
    uriTemplate: 'hub://prompts/{owner}/{name}/versions/{version}',
    name: 'prompt-version',
    title: 'A prompt at one version',
    description: 'The text of one version, which never changes; placeholders are not filled.',
    mimeType: MEDIA_TYPE,
  },
] as const

/** Answers `resources/templates/list`. */
export function listTemplates(): McpResult {
  return { resourceTemplates: TEMPLATES }
}

/** Answers `resources/list`. */
export async function listResources(params: Record<string, unknown>, tools: ReadTools): Promise<McpResult> {
  const { entries, next } = await readMenu(params, tools)
  const resources = entries.map(({ owner, name, title, description, updated_at }) => ({
    uri: `hub://prompts/${owner}/${name}`,
    name: `${owner}/${name}`,
    description: sayMenu(title, description),
    mimeType: MEDIA_TYPE,
    annotations: { audience: ['user', 'assistant'], lastModified: updated_at },
  }))
  return { resources, ...next }
}

/** Answers `resources/read` with the stored text. */
export async function readResource(params: Record<string, unknown>, tools: ReadTools, era: Era): Promise<McpResult> {
  const { uri } = params
  const parts = typeof uri === 'string' ? splitAddress(uri) : undefined
  if (!parts) throw noResource(uri, era)
  const query = new URLSearchParams(parts.version === undefined ? {} : { version: parts.version })
  try {
    const { bytes } = await ANSWERS.getRaw(parts, query, tools)
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
    return { contents: [{ uri, mimeType: MEDIA_TYPE, text }] }
  } catch (error) {
    if (error instanceof HubError && error.code === 'not_found') throw noResource(uri, era)
    throw error
  }
}

/** Checked before any store is touched. */
function splitAddress(uri: string) {
  const [, owner = '', name = '', version] =
    /^hub:\/\/prompts\/([^/]+)\/([^/]+)(?:\/versions\/([^/]+))?$/.exec(uri) ?? []
  if (!isOwner(owner) || !isName(name) || (version !== undefined && !isVersion(version))) return undefined
  return { owner, name, ...(version === undefined ? {} : { version }) }
}

function noResource(uri: unknown, era: Era): McpFailure {
  const echo = typeof uri === 'string' ? printable(uri) : ''
  return new McpFailure(
    era === '2025' ? CODES.resourceNotFound : CODES.invalidParams,
    `There is no resource${echo === '' ? ' named' : ` ${echo}`}. The forms are ${TEMPLATES.map(({ uriTemplate }) => uriTemplate).join(' and ')}.`,
    { uri: echo },
  )
}
