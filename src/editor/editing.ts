// Defines what the editor's pages share: their dependencies, the request of a signed-in user, and what they read.

import type { AccountDeps, Visit } from '../account/visit.ts'
import type { Said } from '../account/words-for-people.ts'
import type { SiteFiles } from '../built/site-files.ts'
import type { RunLong } from '../concurrency/long-work.ts'
import type { Session } from '../domain/access/account.ts'
import { mayActFor } from '../domain/access/memberships.ts'
import { HubError } from '../domain/api/errors.ts'
import type { Repository, VersionRecord } from '../domain/api/schema.ts'
import { isVersion, type RepositoryPlace, splitVersionAddress } from '../domain/values/names.ts'
import type { PublishHub } from '../server/publish/publish-hub.ts'
import { findVersion } from '../server/read/records.ts'
import type { SourceHost } from '../site/rendering.ts'
import type { FreshCopies } from '../state/fresh-copies.ts'
import type { ApiCall, ApiResponse } from './call-api.ts'

/** The editor's dependencies. */
export interface EditorDeps extends AccountDeps {
  siteFiles: SiteFiles
  fresh: FreshCopies
  /** The git host where users without publish permission can suggest a change; undefined if there is none. */
  sourceHost: SourceHost | undefined
  /** Runs long work on behalf of the client. */
  runLong: RunLong
  /** Opens a hub for one write. */
  openPublishHub: (request: Request) => Promise<PublishHub>
}

/** A request from a signed-in user. */
export interface Editing extends Visit {
  deps: EditorDeps
  session: Session
  /** The prompt named in the URL; undefined at `/new`. */
  repository: Repository | undefined
  /** The submitted form, which is from a page in this session; empty for a GET request. */
  form: URLSearchParams
}

/** Returns whether a user is a member of an owner, as far as the build or a fresh copy says. */
export async function isLikelyMember({ deps, session: { person } }: Editing, owner: string): Promise<boolean> {
  const copy = await deps.fresh.find('owners', owner)
  return copy ? mayActFor(person, owner, copy) : (await deps.ownersOf(person)).includes(owner)
}

/** Reads a version. @param version as sent by somebody @returns undefined if there is no such version */
export async function readVersion(
  { owner, name }: RepositoryPlace,
  version: string | null,
  deps: EditorDeps,
): Promise<VersionRecord | undefined> {
  return isVersion(version ?? '') ? (await findVersion(owner, name, version!, deps))?.value() : undefined
}

/** Reads the latest version. @throws HubError `not_found` if every version is yanked */
export async function readLatest({ deps }: Editing, repository: Repository): Promise<VersionRecord> {
  const found = await readVersion(repository, repository.latest_version, deps)
  if (!found)
    throw new HubError('not_found', 'Every version of this prompt is yanked. Un-yank one, or publish with the API.')
  return found
}

/** @throws HubError `repo_archived` for a prompt that accepts no more versions, before somebody writes one */
export function requireOpen({ full_name, status, moved_to }: Repository): void {
  if (status === 'archived')
    throw new HubError(
      'repo_archived',
      `${full_name} is archived and accepts no new versions. A member can set its status to active first.`,
    )
  if (moved_to !== null) throw new HubError('repo_archived', `${full_name} has moved to ${moved_to}. Publish there.`)
}

/** Reads the version that the URL's `version` parameter names; undefined without it. Its content becomes a new version. @throws HubError `not_found` */
export async function readReverted({ request, deps }: Editing, repository: Repository) {
  const version = new URL(request.url).searchParams.get('version')
  if (version === null) return undefined
  const found = await readVersion(repository, version, deps)
  if (!found) throw new HubError('not_found', `${repository.full_name} has no such version.`)
  return found
}

/** Reads the version that a new prompt is forked from. @param address `owner/name@x.y.z` */
export async function readOrigin(address: string, deps: EditorDeps): Promise<VersionRecord | undefined> {
  const place = splitVersionAddress(address)
  return place && readVersion(place, place.version, deps)
}

/** Calls the API. Imports the publish code only when a form is submitted, because most requests only display a form. */
export async function call({ deps, session }: Editing, wanted: ApiCall): Promise<ApiResponse> {
  const { callApi } = await import('./call-api.ts')
  return callApi(wanted, session.person, deps.baseUrl, deps.openPublishHub)
}

/** Returns one sentence as what a page says. */
export const saying = (sentence: string): Said => ({ sentences: [sentence] })
