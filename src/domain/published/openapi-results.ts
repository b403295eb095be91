// Describes reporting the result of a test suite for the OpenAPI document.
import { ResultAnswer } from '../api/route-schemas.ts'
import { single } from '../api/schema.ts'
import { ResultRequest } from '../managing/result-request.ts'
import { describePathParameter, type Json, jsonContent } from './openapi-parts.ts'
import { type Components, toSchema } from './openapi-schema.ts'

/** Describes the operation that records a result. @param errors the responses with errors @param schemas receives named schemas */
export function describeResult(errors: Json, schemas: Components): Json {
  const example = { passed: 118, failed: 2, score: 0.98, model: 'example-model-1' }
  return {
    tags: ['Managing'],
    security: [{ token: [] }],
    parameters: ['owner', 'name', 'version', 'suite'].map(describePathParameter),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: toSchema(ResultRequest, schemas), example } },
    },
    responses: {
      '200': {
        description: 'The result; `commit` is null if the same result was recorded before.',
        content: jsonContent(toSchema(single(ResultAnswer), schemas)),
      },
      ...errors,
    },
  }
}
