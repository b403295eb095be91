// Describes publishing, checks and proposals for the OpenAPI document, and lists all writes.
import type { ErrorCode } from '../../domain/api/errors.ts'
import { Proposal, ProposalSummary } from '../../domain/api/proposal.ts'
import { type ProposalReadId, ROUTES, type WriteId } from '../../domain/api/routes.ts'
import { list, single } from '../../domain/api/schema.ts'
import { PublishQuery } from '../../domain/publishing/prompt-file.ts'
import { IDEMPOTENCY_KEY, PublishRequest } from '../../domain/publishing/request.ts'
import { describeChange } from './openapi-changes.ts'
import { EXAMPLES } from './openapi-examples.ts'
import {
  describeErrors,
  describePathParameter,
  describeQueryParameter,
  headersOf,
  type Json,
  jsonContent,
  PUBLISH_ERRORS,
  parametersIn,
} from './openapi-parts.ts'
import { type Components, toSchema } from './openapi-schema.ts'
import { CheckAnswer, PublishAnswer } from './route-schemas.ts'

/** Describes the operation that publishes a version. */
function describePublish(schemas: Components): Json {
  const answer = jsonContent(toSchema(single(PublishAnswer), schemas))
  return {
    description:
      'Adds a version in one commit. The version number is incremented from the highest ever used; the first version is 1.0.0. If Accept names text/plain and not application/json, the response is a line with the version and its URL, and a line for each warning.',
    tags: ['Publishing'],
    security: [{ token: [] }],
    parameters: [
      describePathParameter('owner'),
      describePathParameter('name'),
      {
        name: 'Idempotency-Key',
        in: 'header',
        required: false,
        description: 'Identifies this publish, so that a retry returns the version published by the first request.',
        schema: {
          type: 'string',
          pattern: IDEMPOTENCY_KEY.pattern.source,
          minLength: IDEMPOTENCY_KEY.shortest,
          maxLength: IDEMPOTENCY_KEY.longest,
        },
        example: 'job-4711-code-review',
      },
      ...describePublishQuery(),
    ],
    requestBody: describePublishBody(schemas),
    responses: {
      '200': {
        description:
          'Nothing new was published: the latest version is identical, the key was used before (Idempotency-Replayed), or it was a dry run.',
        headers: headersOf('Idempotency-Replayed'),
        content: answer,
      },
      '201': { description: 'The published version.', headers: headersOf('Location'), content: answer },
      ...describeErrors([...PUBLISH_ERRORS, 'evidence_missing', 'approval_needed']),
    },
  }
}

/** Describes the query parameters of a prompt file and of an archive. */
function describePublishQuery(): Json[] {
  return Object.entries(PublishQuery.shape).map(([name, schema]) =>
    describeQueryParameter({ name, schema, description: `With a prompt file or an archive: ${schema.description}` }),
  )
}

function describePublishBody(schemas: Components): Json {
  return {
    required: true,
    content: {
      'application/json': { schema: toSchema(PublishRequest, schemas), examples: EXAMPLES.publish },
      'text/markdown': {
        schema: {
          type: 'string',
          description: 'A prompt file: front matter with fields of a publish, then the content.',
        },
        example: '---\ntitle: Code review\ntags: [review]\n---\nReview {{diff}}.\n',
      },
      'application/gzip': {
        schema: {
          type: 'string',
          format: 'binary',
          description:
            'A tar archive of a skill: its SKILL.md or a prompt file named prompt.md, and the files beside it, at the root or in one folder.',
        },
      },
    },
  }
}

/** Every error of a check: those of a publish that need neither a token nor the git host, except for a version that cannot be read. */
const CHECK_ERRORS = PUBLISH_ERRORS.filter(
  (code) => !['unauthorized', 'forbidden', 'idempotency_key_reused'].includes(code),
)

/** Describes the operation that says what a publish would do. */
function describeCheck(schemas: Components): Json {
  return {
    description:
      'Takes the same body as publishing, and needs no token. Nothing is written. The response is what publishing would do, or the error that it would return; it does not say whether you may publish.',
    tags: ['Publishing'],
    parameters: [describePathParameter('owner'), describePathParameter('name'), ...describePublishQuery()],
    requestBody: describePublishBody(schemas),
    responses: {
      '200': {
        description: 'What publishing would do.',
        content: jsonContent(toSchema(single(CheckAnswer), schemas)),
      },
      ...describeErrors(CHECK_ERRORS),
    },
  }
}

/** Describes the operation that proposes a version. */
function describePropose(schemas: Components): Json {
  return {
    description:
      'Takes the same body as publishing, checks it in the same way, and stores it for 30 days. Nothing is published until a member accepts it.',
    tags: ['Proposals'],
    security: [{ token: [] }],
    parameters: [describePathParameter('owner'), describePathParameter('name'), ...describePublishQuery()],
    requestBody: describePublishBody(schemas),
    responses: {
      '201': {
        description: 'The proposal, and what accepting it would do.',
        headers: headersOf('Location'),
        content: jsonContent(toSchema(single(Proposal), schemas)),
      },
      ...describeErrors(PUBLISH_ERRORS.filter((code) => code !== 'idempotency_key_reused')),
    },
  }
}

/** Describes the operations that read proposals. @param schemas receives named schemas */
export function describeProposalReads(schemas: Components): Readonly<Record<ProposalReadId, Json>> {
  const describe = (
    id: ProposalReadId,
    description: string,
    content: Json,
    errors: readonly ErrorCode[],
    isText = false,
  ): Json => ({
    description,
    tags: ['Proposals'],
    parameters: parametersIn(ROUTES[id].path).map(describePathParameter),
    responses: {
      '200': {
        description: 'The requested data.',
        headers: headersOf('Cache-Control', ...(isText ? (['Repr-Digest', 'Unencoded-Digest'] as const) : [])),
        content,
      },
      ...describeErrors([...errors, 'not_found', 'rate_limited', 'internal_error', 'unavailable']),
    },
  })
  return {
    listProposals: {
      ...describe(
        'listProposals',
        'Needs a token for the repository, with any permission, or a member who is signed in.',
        jsonContent(toSchema(list(ProposalSummary), schemas)),
        ['unauthorized', 'forbidden', 'upstream_error'],
      ),
      security: [{ token: [] }],
    },
    getProposal: describe(
      'getProposal',
      'Needs no token: whoever has the address can read it. Never cached.',
      jsonContent(toSchema(single(Proposal), schemas)),
      [],
    ),
    getProposalRaw: describe(
      'getProposalRaw',
      'Plain text, not JSON, of an open proposal. Never cached.',
      { 'text/plain': { schema: { type: 'string', description: 'The content, byte for byte.' } } },
      ['repo_archived', 'validation_failed', 'upstream_error'],
      true,
    ),
  }
}

/** Describes the operations that change published data, and the check. @param schemas receives named schemas */
export function describeWrites(schemas: Components): Readonly<Record<WriteId | 'checkVersion', Json>> {
  return {
    publishVersion: describePublish(schemas),
    changeRepository: describeChange('changeRepository', schemas),
    setLabel: describeChange('setLabel', schemas),
    removeLabel: describeChange('removeLabel', schemas),
    setLabels: describeChange('setLabels', schemas),
    yankVersion: describeChange('yankVersion', schemas),
    unyankVersion: describeChange('unyankVersion', schemas),
    recordResult: describeChange('recordResult', schemas),
    removeResult: describeChange('removeResult', schemas),
    deleteVersion: describeChange('deleteVersion', schemas),
    deleteRepository: describeChange('deleteRepository', schemas),
    changeOwner: describeChange('changeOwner', schemas),
    proposeVersion: describePropose(schemas),
    acceptProposal: describeChange('acceptProposal', schemas),
    rejectProposal: describeChange('rejectProposal', schemas),
    listWebhooks: describeChange('listWebhooks', schemas),
    setWebhook: describeChange('setWebhook', schemas),
    removeWebhook: describeChange('removeWebhook', schemas),
    checkVersion: describeCheck(schemas),
  }
}
