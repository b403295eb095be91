// Parses the bodies of decisions about proposals.
import * as z from 'zod'
import { LIMITS } from '../limits.ts'
import { boundsOf, parseBody } from '../publishing/request.ts'
import { line } from '../values/values.ts'
import { parseFields } from './request.ts'

/** The body of an acceptance; optional, because it says nothing. */
export const AcceptanceRequest = z
  .strictObject({})
  .meta({ id: 'AcceptanceRequest', description: 'Accepts a proposal as it is.' })

/** The body of a rejection; optional. */
export const RejectionRequest = z
  .strictObject({
    reason: line(LIMITS.sentenceCharacters).min(1, 'expected a reason, or no such field').optional().describe('Why.'),
  })
  .meta({ id: 'RejectionRequest', description: 'Why a proposal is rejected.' })

/** Parses the body of a decision. @throws HubError `invalid_request`, `validation_failed` */
export function readDecisionBody(text: string, isAcceptance: boolean): { reason?: string | undefined } {
  const schema = isAcceptance ? AcceptanceRequest : RejectionRequest
  return parseFields(schema, parseBody(text, boundsOf(schema, { keys: 10, values: 20, depth: 2 })))
}
