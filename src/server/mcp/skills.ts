// Serves Agent Skills through MCP's skills extension (https://github.com/modelcontextprotocol/ext-skills).

import { describeFront, formatSkill, type SkillVersion } from '../../domain/content/skill.ts'
import { decodeFile, isFilePath } from '../../domain/values/file-entry.ts'
import { digestText } from '../../files/measure.ts'
import type { Hub } from '../hub.ts'
import { findFile } from '../read/files.ts'
import { findSkill } from '../read/skills.ts'
import { type McpResult, unknownName } from './protocol.ts'

/** Handles `skills/get`. @throws McpFailure if there is no such skill */
export async function getSkill({ uri }: Record<string, unknown>, hub: Hub): Promise<McpResult> {
  const found = await findByUri(uri, hub)
  if (found?.path !== MAIN) {
    const forms = 'skill://{owner}/{name}/SKILL.md or skill://{owner}/v{x.y.z}/{name}/SKILL.md'
    throw unknownName('skill', uri, `Valid URIs have the form ${forms}.`)
  }
  const { skill, root } = found
  const text = formatSkill(skill)
  const main = { uri, digest: `sha256:${digestText(text)}`, size: Buffer.byteLength(text) }
  const files = (skill.files ?? []).map(({ path, sha256, size_bytes: size }) => {
    return { uri: `${root}/${path}`, digest: `sha256:${sha256}`, size }
  })
  return { skill: { uri, frontmatter: describeFront(skill), resources: [main, ...files] } }
}

/** The media type of a folder, as the extension gives it. */
const FOLDER_TYPE = 'inode/directory'

/** Handles `resources/directory/read`: lists what is directly in a folder of a skill, on a single page. @throws McpFailure if there is no such folder */
export async function readDirectory({ uri }: Record<string, unknown>, hub: Hub): Promise<McpResult> {
  const { skill, path = '' } = (await findByUri(uri, hub)) ?? {}
  const inside = path === '' ? '' : `${path}/`
  const all = skill ? [describeMain(skill), ...(skill.files ?? [])] : []
  const files = all.filter((file) => file.path.startsWith(inside))
  const form = 'Valid URIs have the form skill://{owner}/{name}, without a slash at the end.'
  if (files.length === 0) throw unknownName('folder of a skill', uri, form)
  const children = new Map<string, McpResult>()
  for (const { path, media_type, size_bytes } of files) {
    const [name = '', ...deeper] = path.slice(inside.length).split('/')
    const about = deeper.length > 0 ? { mimeType: FOLDER_TYPE } : { mimeType: media_type, size: size_bytes }
    children.set(name, { uri: `${uri}/${name}`, name, ...about })
  }
  return { resources: [...children.values()] }
}

/** Describes the SKILL.md of a skill like the files beside it. */
function describeMain(skill: SkillVersion) {
  return { path: MAIN, media_type: MAIN_TYPE, size_bytes: Buffer.byteLength(formatSkill(skill)) }
}

/** The contents of a resource: text, or bytes in base64. */
type Contents = { mimeType: string; text: string } | { mimeType: string; blob: string }

/** Returns the SKILL.md or another file of a skill for a URI passed to `resources/read`; undefined if there is none. */
export async function readSkillFile(uri: string, hub: Hub): Promise<Contents | undefined> {
  const found = await findByUri(uri, hub)
  if (!found) return undefined
  const { skill, owner, path } = found
  if (path === MAIN) return { mimeType: MAIN_TYPE, text: formatSkill(skill) }
  if (path === undefined || !isFilePath(path)) return undefined
  const file = await findFile({ owner, name: skill.name, version: skill.version }, path, hub)
  if (!file) return undefined
  const text = file.mediaType === 'text/plain' ? decodeFile(file.bytes) : undefined
  return text === undefined
    ? { mimeType: file.mediaType, blob: Buffer.from(file.bytes).toString('base64') }
    : { mimeType: file.mediaType, text }
}

const MAIN = 'SKILL.md'
const MAIN_TYPE = 'text/markdown'

/** Finds a skill by the URI of one of its files or folders; its own folder has no path. The name comes last before the path, because the extension requires the folder that contains SKILL.md to have the skill's name. A name has no dots, so it is never read as a version. */
async function findByUri(
  uri: unknown,
  hub: Hub,
): Promise<{ skill: SkillVersion; owner: string; root: string; path: string | undefined } | undefined> {
  const [, root = '', owner = '', version, name = '', path] =
    (typeof uri === 'string' && /^(skill:\/\/([^/]+)(?:\/v(\d+\.\d+\.\d+))?\/([^/]+))(?:\/(.+))?$/.exec(uri)) || []
  const skill = await findSkill({ owner, name, version }, hub)
  return skill && { skill, owner, root, path }
}
