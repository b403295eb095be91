// Serves the skills of an owner, or of the hub, as git repositories that git only reads, over its smart HTTP protocol. https://git-scm.com/docs/http-protocol

import { gunzipSync } from 'node:zlib'
import { COMMON_HEADERS } from '../domain/api/caching.ts'
import { HubError } from '../domain/api/errors.ts'
import type { GIT_SERVICES } from '../domain/api/routes.ts'
import { printable } from '../domain/text/printable.ts'
import { isOwner } from '../domain/values/names.ts'
import { toHubError } from '../log.ts'
import type { Connect, Hub } from '../server/hub.ts'
import { makeErrorResponse } from '../server/refusals.ts'
import { countRequest, openBody, pathOf, queryOf, readContentType } from '../server/request.ts'
import type { HistorySource } from './skill-history.ts'

/** A repository of skills, as it is in one build. */
export interface SkillRepository {
  /** Lists the branches, with what precedes them in the version of the protocol. @param protocol the value of `Git-Protocol` */
  list(protocol: string | undefined): Promise<Uint8Array<ArrayBuffer>>
  /** Lets git answer. @param client whose turn it is @throws HubError `unavailable` if too many are waiting */
  send(asked: { protocol: string | undefined; wants: Uint8Array; client: string }): Promise<ReadableStream<Uint8Array>>
}

/** Keeps the repositories. The platform has them, because they need the git program and a disk. */
export interface SkillRepositories {
  /** Finds a repository, with what the build has. @returns undefined if there is no skill */
  find(source: HistorySource): Promise<SkillRepository | undefined>
}

type Service = (typeof GIT_SERVICES)[number]

/** Git sends what it has, at most a few hundred lines at a time. */
const MAX_BYTES = 1_048_576
const PROTOCOL = /^version=[012]$/
const REQUEST_TYPE = 'application/x-git-upload-pack-request'
/** What precedes the branches before version 2 of the protocol. */
const PREAMBLE = '001e# service=git-upload-pack\n0000'

/** Handles one request. Never throws: git shows the text of errors. @param owner undefined for the skills of the hub; maybe malformed */
export async function handleGit(
  request: Request,
  service: Service,
  owner: string | undefined,
  connect: Connect,
  repositories: SkillRepositories,
): Promise<Response> {
  try {
    const hub = await connect()
    await countRequest(hub)
    const asksToWrite = new URLSearchParams(queryOf(request.url)).get('service') === 'git-receive-pack'
    if (service === 'git-receive-pack' || asksToWrite)
      throw new HubError(
        'forbidden',
        'This repository is read only. Publish to the hub instead: /docs/publishing says how.',
      )
    return await (service === 'info/refs'
      ? listBranches(request, await findRepository(owner, hub, repositories))
      : sendObjects(request, await findRepository(owner, hub, repositories), hub))
  } catch (thrown) {
    const { status, headers, body } = makeErrorResponse(toHubError(thrown), true)
    return new Response(request.method === 'HEAD' ? null : body, { status, headers })
  }
}

async function findRepository(
  owner: string | undefined,
  { baseUrl, siteFiles }: Hub,
  repositories: SkillRepositories,
): Promise<SkillRepository> {
  const isKnown = owner === undefined || isOwner(owner)
  const found = isKnown ? await repositories.find({ owner, baseUrl, siteFiles }) : undefined
  if (found !== undefined) return found
  const whose = owner === undefined ? 'This hub' : printable(owner)
  throw new HubError('not_found', `${whose} has no Agent Skills. /docs/skills explains which prompts are skills.`)
}

async function listBranches(request: Request, repository: SkillRepository): Promise<Response> {
  if (new URLSearchParams(queryOf(request.url)).get('service') !== 'git-upload-pack')
    throw new HubError(
      'invalid_request',
      `${printable(pathOf(request.url))} needs the smart protocol of git: ?service=git-upload-pack.`,
    )
  const protocol = protocolOf(request)
  const branches = await repository.list(protocol)
  const body = protocol === 'version=2' ? branches : Buffer.concat([Buffer.from(PREAMBLE), branches])
  return respond(request.method === 'HEAD' ? null : body, 'application/x-git-upload-pack-advertisement')
}

async function sendObjects(request: Request, repository: SkillRepository, { clientAddress }: Hub): Promise<Response> {
  const encoding = request.headers.get('Content-Encoding') ?? 'identity'
  const isZipped = /^(?:x-)?gzip$/i.test(encoding)
  if (readContentType(request.headers).mediaType !== REQUEST_TYPE || !(isZipped || encoding === 'identity'))
    throw new HubError('unsupported_media_type', `Send ${REQUEST_TYPE}, as git does.`)
  const tooLarge = () => new HubError('content_too_large', `The request is longer than ${MAX_BYTES} bytes.`)
  const incoming = openBody(request, MAX_BYTES, tooLarge)
  const given = await incoming.read(clientAddress)
  const wants = isZipped ? unzip(given, tooLarge) : given
  const protocol = protocolOf(request)
  const stream = await repository.send({ protocol, wants, client: clientAddress })
  return respond(stream, 'application/x-git-upload-pack-result')
}

function protocolOf({ headers }: Request): string | undefined {
  const given = headers.get('Git-Protocol')
  return given !== null && PROTOCOL.test(given) ? given : undefined
}

function unzip(bytes: Uint8Array, tooLarge: () => HubError): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_BYTES })
  } catch (error) {
    const isLong = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
    throw isLong
      ? tooLarge()
      : new HubError('invalid_request', 'The body is not compressed with gzip, as its header says.')
  }
}

function respond(body: BodyInit | null, type: string): Response {
  return new Response(body, { headers: { ...COMMON_HEADERS, 'Content-Type': type, 'Cache-Control': 'no-store' } })
}
