// Reads the files of Agent Skills from a hub, each verified with its digest.
import type { PromptFacts } from './prompt.ts'
import { isObject } from './records.ts'
import { askBytes, mapRequests, type RequestSettings } from './requests.ts'
import { findContent, SKILL, type SkillFile } from './skills.ts'
import { isNotFound, PromptHubError } from './trouble.ts'
import { digestOf, requireDigest } from './verify.ts'

/** The bytes of a file. */
type Bytes = Uint8Array<ArrayBuffer>

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
  // Every mirror has the static file; before the next build, only the hub itself has it.
  const file = `${url}/data/v1/repos/${name}/blobs/${sha256}.bin`
  const bytes = await askBytes([file, `${url}/api/v1/repos/${name}/versions/${version}/files/${path}`], settings)
  await requireDigest(bytes, sha256, `${name}@${version}: ${path}`)
  return bytes
}

/** Reads the record of a version as it is: what is signed is all that it says. @throws PromptHubError `unavailable` if it is none, and the errors of a request */
export async function readRecord(
  url: string,
  settings: RequestSettings,
  { name, version }: Pick<PromptFacts, 'name' | 'version'>,
): Promise<Record<string, unknown>> {
  const path = `repos/${name}/versions/${version}`
  const bytes = await askBytes([`${url}/data/v1/${path}.json`, `${url}/api/v1/${path}`], settings)
  const found = readJson(bytes)
  if (isObject(found) && isObject(found.data)) return found.data
  throw new PromptHubError('unavailable', `${url}/api/v1/${path} did not return a Prompt Hub record.`)
}

/** Parses JSON in UTF-8. @returns undefined for anything else */
export function readJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}

/** For which tools a skill asks, from its record. @returns what the hub says, maybe invalid */
export function readTools({ skill }: Record<string, unknown>): readonly unknown[] {
  return isObject(skill) && Array.isArray(skill.allowed_tools) ? skill.allowed_tools : []
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
  const file = `${url}/data/v1/repos/${name}/skills/${version}.md`
  const skill = await askBytes([file, `${url}/${name}/v/${version}/${SKILL}`], settings).catch((cause: unknown) => {
    if (!isNotFound(cause)) throw cause
    throw new PromptHubError('not_found', `${name} ${version} is not an Agent Skill; nothing was changed`, { cause })
  })
  if (sha256 === null || !(await findContent(skill, sha256)))
    throw new PromptHubError('integrity', `${name} ${version}: ${SKILL} has other bytes than its SHA-256 says.`)
  const others = await mapRequests(files, async (file) => ({
    ...file,
    bytes: await readSkillFile(url, settings, prompt, file),
  }))
  return [{ path: SKILL, sha256: await digestOf(skill, SKILL), bytes: skill }, ...others]
}
