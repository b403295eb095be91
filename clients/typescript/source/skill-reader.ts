// Reads the files of Agent Skills from a hub, each verified with its digest.
import type { PromptFacts } from './prompt.ts'
import { askBytes, type RequestSettings } from './requests.ts'
import { findContent, SKILL, type SkillFile } from './skills.ts'
import { PromptHubError } from './trouble.ts'
import { digestOf } from './verify.ts'

/** The bytes of a file. */
type Bytes = Uint8Array<ArrayBuffer>
/** Requests at the same time for the files of a skill. */
const AT_ONCE = 8

/**
 * Reads a file of a version.
 *
 * @param url the hub's URL, without a trailing slash
 * @throws PromptHubError `integrity` if the hub has other bytes, and the errors of a request
 */
export async function readSkillFile(
  url: string,
  settings: RequestSettings,
  { name, version }: Pick<PromptFacts, 'name' | 'version'>,
  { path, sha256 }: SkillFile,
): Promise<Bytes> {
  const bytes = await readEither(
    settings,
    `${url}/data/v1/repos/${name}/blobs/${sha256}.bin`,
    `${url}/api/v1/repos/${name}/versions/${version}/files/${path}`,
  )
  if ((await digestOf(bytes, path)) !== sha256)
    throw new PromptHubError('integrity', `${name}@${version}: ${path} has other bytes than its SHA-256 says.`)
  return bytes
}

/**
 * Reads all files of a skill, with its SKILL.md, whose content is that of the prompt.
 *
 * @throws PromptHubError `not_found` if the version is no skill, otherwise like `readSkillFile`
 */
export async function readSkill(
  url: string,
  settings: RequestSettings,
  prompt: Pick<PromptFacts, 'name' | 'version' | 'sha256' | 'files'>,
): Promise<(SkillFile & { bytes: Bytes })[]> {
  const { name, version, sha256, files } = prompt
  const skill = await readEither(
    settings,
    `${url}/data/v1/repos/${name}/skills/${version}.md`,
    `${url}/${name}/v/${version}/${SKILL}`,
  ).catch((cause: unknown) => {
    if (!(cause instanceof PromptHubError) || cause.code !== 'not_found') throw cause
    throw new PromptHubError('not_found', `${name} ${version} is not an Agent Skill; nothing was changed`, { cause })
  })
  if (sha256 === null || !(await findContent(skill, sha256)))
    throw new PromptHubError('integrity', `${name} ${version}: ${SKILL} has other bytes than its SHA-256 says.`)
  const found = [{ path: SKILL, sha256: await digestOf(skill, SKILL), bytes: skill }]
  for (let at = 0; at < files.length; at += AT_ONCE) {
    const some = files.slice(at, at + AT_ONCE)
    const bytes = await Promise.all(some.map((file) => readSkillFile(url, settings, prompt, file)))
    found.push(...some.map((file, index) => ({ ...file, bytes: bytes[index]! })))
  }
  return found
}

/** Reads the static file, which every mirror has, or, before the next build, what the hub itself serves. */
async function readEither(settings: RequestSettings, file: string, other: string): Promise<Bytes> {
  try {
    return await askBytes(file, settings)
  } catch (error) {
    if (!(error instanceof PromptHubError) || error.code !== 'not_found') throw error
    return askBytes(other, settings)
  }
}
