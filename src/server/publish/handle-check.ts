// Says what a publish would do, for anyone and without a token. Reads the build and the fresh copies, never the git host, and writes nothing.

import type { PathParameters } from '../../domain/api/routes.ts'
import { digestManifest } from '../../domain/catalogue/repository-records.ts'
import type { PublishDecision } from '../../domain/publishing/decision.ts'
import { isComposed } from '../../domain/publishing/request.ts'
import { isName, isOwner } from '../../domain/values/names.ts'
import { measure } from '../../files/measure.ts'
import type { Connect, Hub } from '../hub.ts'
import { invalidNameError, respondToSender } from '../refusals.ts'
import { countRequest } from '../request.ts'
import { respondWithRecord } from '../respond.ts'
import { checkPublish } from './check-publish.ts'
import { decodeBody, openSentBody, requireMediaType } from './handle-write.ts'
import { parsePublishBody, placeWarnings } from './publish.ts'
import type { PublishHub } from './publish-hub.ts'

/** A hub that checks a publish. */
export type CheckHub = Hub & Pick<PublishHub, 'parseArchive'>

/** Handles one check. Never throws: errors become responses. @param parameters as in the path, maybe malformed @param platformBytes as in `WriteRoute` */
export async function handleCheck(
  request: Request,
  { owner = '', name = '' }: PathParameters,
  connect: Connect<CheckHub>,
  now: () => number = Date.now,
  platformBytes?: number,
): Promise<Response> {
  try {
    const hub = await connect()
    await countRequest(hub)
    const { kind, incoming } = await openSentBody(request, platformBytes)
    requireMediaType(request, kind)
    if (!isOwner(owner) || !isName(name)) throw invalidNameError()
    // As long as it is worked on, it counts as in memory.
    return await incoming.use(async (bytes) => {
      const given = decodeBody(kind, bytes)
      const { body, linesBefore } = await parsePublishBody(request, given, hub)
      const decision = await checkPublish({ owner, name }, body, hub, { nowMs: now(), publishedBy: owner })
      const warnings = placeWarnings(decision.warnings, linesBefore)
      return respondWithCheck({ ...decision, warnings }, isComposed(body))
    }, hub.clientAddress)
  } catch (thrown) {
    return respondToSender(request, thrown)
  }
}

function respondWithCheck(
  { version, record, isUnchanged, fields, changes, warnings }: PublishDecision,
  isAssembled: boolean,
): Response {
  const { content_sha256, bundle_sha256 } = record
  const digests = { content_sha256, bundle_sha256, manifest_sha256: digestManifest(record, measure) }
  const breaking = changes?.breaking ?? false
  const { content, variables, includes } = record
  const composed = isAssembled ? { content, variables, includes } : null
  const would_be = version.version
  const data = { would_be, unchanged: isUnchanged, breaking, ...digests, fields, changes, composed, warnings }
  return respondWithRecord(data)
}
