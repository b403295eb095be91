// The refusals for a prompt or version that does not exist. The read API and the MCP tools each name their own way out.

import { HubError } from '../../domain/api/errors.ts'
import type { Hub } from '../hub.ts'
import { findRepository } from './records.ts'

/** Returns the error for a repository that does not exist, with similar names. @param wayOut what to do next */
export async function repositoryNotFound(
  owner: string,
  name: string,
  hub: Hub,
  wayOut = 'Search with /api/v1/repos?q=….',
): Promise<HubError> {
  const { findClose } = await import('./close-names.ts')
  const close = await findClose(owner, name, hub)
  const hint = close.length === 0 ? '' : ` Did you mean ${close.join(', ')}?`
  return new HubError('not_found', `Repository not found: ${owner}/${name}.${hint} ${wayOut}`)
}

/** Returns the error for a version that does not exist, or whose repository does not exist. @param wayOut what to do next */
export async function versionNotFound(
  owner: string,
  name: string,
  version: string,
  hub: Hub,
  wayOut = `Its versions are listed at /api/v1/repos/${owner}/${name}/versions.`,
): Promise<HubError> {
  if (!(await findRepository(owner, name, hub))) return repositoryNotFound(owner, name, hub)
  return new HubError('not_found', `${owner}/${name} has no version ${version}. ${wayOut}`)
}

/** Returns the error for a repository whose versions are all yanked. @param wayOut what to do next */
export function activeVersionNotFound(
  owner: string,
  name: string,
  wayOut = `Its versions are at /api/v1/repos/${owner}/${name}/versions; select one with ?version=.`,
): HubError {
  return new HubError('not_found', `${owner}/${name} has no active version. ${wayOut}`)
}
