// Parses requests to record the result of a test suite. docs/contract.md section 7
import * as z from 'zod'
import { RESULT_FIELDS } from '../content/result-file.ts'
import { boundsOf, parseBody } from '../publishing/request.ts'
import { parseFields } from './request.ts'

/** The body that records a result. */
export const ResultRequest = z
  .strictObject({
    ...RESULT_FIELDS,
    at: RESULT_FIELDS.at.optional().describe('When the suite ran; if omitted, now.'),
  })
  .meta({ id: 'ResultRequest', description: 'The outcome of a test suite.' })
export type ResultRequest = z.infer<typeof ResultRequest>

/** Parses the JSON of a result. @throws HubError `invalid_request`, `validation_failed` */
export function readResultBody(text: string): ResultRequest {
  return parseFields(ResultRequest, parseBody(text, RESULT_BOUNDS))
}

/** The limits of the body, which has no nested values. */
const RESULT_BOUNDS = boundsOf(ResultRequest, { keys: 100, values: 100, depth: 2 })
