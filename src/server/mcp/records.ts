// Owns taking records out of the read API's own answers: the same data, visibility and fresh copies, by the same code.
import { HubError } from '../../domain/api/errors.ts'
import { ROUTES } from '../../domain/api/routes.ts'
import type { Repository, TagRecord, VersionRecord, VersionSummary } from '../../domain/api/schema.ts'
import { ANSWERS, type ReadTools } from '../read/answers.ts'
import { parseJsonFile } from '../site-json.ts'

const NO_QUERY = new URLSearchParams()

/** A repository, listed or not; undefined when there is none. */
export async function findRepository(owner: string, name: string, tools: ReadTools): Promise<Repository | undefined> {
  const found = await orAbsent(ANSWERS.getRepository({ owner, name }, NO_QUERY, tools))
  return found && parseJsonFile(found.bytes, ROUTES.getRepository.response).data
}

/** A version, yanked ones included; undefined when there is none. */
export async function findVersion(
  owner: string,
  name: string,
  version: string,
  tools: ReadTools,
): Promise<VersionRecord | undefined> {
  const found = await orAbsent(ANSWERS.getVersion({ owner, name, version }, NO_QUERY, tools))
  return found && parseJsonFile(found.bytes, ROUTES.getVersion.response).data
}

/** The versions of a repository, highest first; undefined when there is no such repository. */
export async function findVersions(
  owner: string,
  name: string,
  tools: ReadTools,
): Promise<VersionSummary[] | undefined> {
  const found = await orAbsent(ANSWERS.listVersions({ owner, name }, NO_QUERY, tools))
  return found && parseJsonFile(found.bytes, ROUTES.listVersions.response).data
}

/** Every tag, most used first. */
export async function listTags(tools: ReadTools): Promise<TagRecord[]> {
  const { bytes } = await ANSWERS.listTags({}, NO_QUERY, tools)
  return parseJsonFile(bytes, ROUTES.listTags.response).data
}

async function orAbsent<Value>(answer: Promise<Value>): Promise<Value | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof HubError && error.code === 'not_found') return undefined
    throw error
  }
}
