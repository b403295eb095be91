// Describes publishing and managing for the OpenAPI document.
import type * as z from 'zod'
import type { ErrorCode } from '../../domain/api/errors.ts'
import { Proposal, ProposalSummary, RejectedProposal } from '../../domain/api/proposal.ts'
import { type ProposalReadId, ROUTES, type WriteId } from '../../domain/api/routes.ts'
import { list, single } from '../../domain/api/schema.ts'
import { DeletionRequest } from '../../domain/managing/deletion.ts'
import { OwnerPatch } from '../../domain/managing/owner-request.ts'
import { AcceptanceRequest, RejectionRequest } from '../../domain/managing/proposal-request.ts'
import {
  LabelRemoval,
  LabelRequest,
  LabelsRequest,
  RepositoryPatch,
  YankRequest,
} from '../../domain/managing/request.ts'
import { ResultRequest } from '../../domain/managing/result-request.ts'
import { WebhookRecord, WebhookRequest } from '../../domain/managing/webhook-request.ts'
import { PublishQuery } from '../../domain/publishing/prompt-file.ts'
import { IDEMPOTENCY_KEY, PublishRequest } from '../../domain/publishing/request.ts'
import { EXAMPLES } from './openapi-examples.ts'
import {
  describeErrors,
  describePathParameter,
  describeQueryParameter,
  headersOf,
  type Json,
  jsonContent,
  parametersIn,
} from './openapi-parts.ts'
import { type Components, toSchema } from './openapi-schema.ts'
import {
  ChangeAnswer,
  CheckAnswer,
  DeletionAnswer,
  LabelsAnswer,
  OwnerAnswer,
  PublishAnswer,
  ResultAnswer,
  ResultRemoval,
  WebhookAnswer,
  WebhookRemoval,
} from './route-schemas.ts'

/** Every error when publishing, in the order of the checks. docs/contract.md section 7 */
const PUBLISH_ERRORS: readonly ErrorCode[] = [
  'content_too_large',
  'unsupported_media_type',
  'unauthorized',
  'rate_limited',
  'not_found',
  'invalid_request',
  'validation_failed',
  'forbidden',
  'quota_exceeded',
  'idempotency_key_reused',
  'repo_archived',
  'version_conflict',
  'bump_too_small',
  'internal_error',
  'upstream_error',
  'unavailable',
]

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
      ...describeErrors(PUBLISH_ERRORS),
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

/** Every error when changing a repository, in the order of the checks. docs/contract.md section 7 */
const CHANGE_ERRORS = PUBLISH_ERRORS.filter((code) => code !== 'idempotency_key_reused' && code !== 'bump_too_small')

/** A change of published data: its body, if it has one, and its answer. */
interface Change {
  body?: z.ZodType
  example?: Json
  isOptional?: boolean
  answer: z.ZodType
  /** Whether the answer is a list of such records. */
  isList?: boolean
  description: string
  errors: readonly ErrorCode[]
  /** What a 201 response is, if there is one. */
  created?: string
}

/** What the changes of a repository have in common. */
const OF_REPOSITORY = {
  answer: ChangeAnswer,
  description: 'The current repository; `commit` is null if nothing changed.',
  errors: CHANGE_ERRORS,
}

const OF_DELETION = {
  body: DeletionRequest,
  example: {},
  isOptional: true,
  answer: DeletionAnswer,
  description: 'What was deleted; `commit` is null if it was deleted before.',
  errors: [
    ...CHANGE_ERRORS.filter((code) => code !== 'quota_exceeded' && code !== 'version_conflict'),
    'too_late',
  ] as const,
}

/** Every error of a write that is not in git. */
const ERRORS_WITHOUT_COMMIT = CHANGE_ERRORS.filter(
  (code) => code !== 'quota_exceeded' && code !== 'repo_archived' && code !== 'version_conflict',
)

const CHANGES: Readonly<Record<Exclude<WriteId, 'publishVersion' | 'proposeVersion'>, Change>> = {
  changeRepository: { ...OF_REPOSITORY, body: RepositoryPatch, example: { title: 'Code review' } },
  setLabel: {
    ...OF_REPOSITORY,
    body: LabelRequest,
    example: { version: '1.0.0' },
    errors: [...CHANGE_ERRORS, 'evidence_missing'],
  },
  removeLabel: { ...OF_REPOSITORY, body: LabelRemoval, example: {}, isOptional: true },
  setLabels: {
    body: LabelsRequest,
    example: { versions: { 'code-review': '1.0.0' } },
    answer: LabelsAnswer,
    description: 'What the label points at now; `commit` is null if nothing changed.',
    errors: [
      ...CHANGE_ERRORS.filter((code) => code !== 'quota_exceeded' && code !== 'version_conflict'),
      'evidence_missing',
    ],
  },
  yankVersion: { ...OF_REPOSITORY, body: YankRequest, example: { reason: 'Leaks the system prompt' } },
  unyankVersion: OF_REPOSITORY,
  recordResult: {
    body: ResultRequest,
    example: { passed: 118, failed: 2, score: 0.98, model: 'example-model-1' },
    answer: ResultAnswer,
    description: 'The result; `commit` is null if the same result was recorded before.',
    errors: CHANGE_ERRORS.filter((code) => code !== 'quota_exceeded'),
  },
  removeResult: {
    answer: ResultRemoval,
    description: 'The suite; `commit` is null if the version had no result of it.',
    errors: CHANGE_ERRORS.filter((code) => code !== 'quota_exceeded'),
  },
  deleteVersion: OF_DELETION,
  deleteRepository: OF_DELETION,
  acceptProposal: {
    body: AcceptanceRequest,
    example: {},
    isOptional: true,
    answer: PublishAnswer,
    description: 'The proposal was accepted before; its version, with Idempotency-Replayed, or only fields changed.',
    errors: [...PUBLISH_ERRORS.filter((code) => code !== 'idempotency_key_reused'), 'too_late', 'evidence_missing'],
    created: 'The published version.',
  },
  rejectProposal: {
    body: RejectionRequest,
    example: { reason: 'The summary is too long' },
    isOptional: true,
    answer: RejectedProposal,
    description: 'The rejected proposal.',
    errors: [...ERRORS_WITHOUT_COMMIT, 'too_late'],
  },
  listWebhooks: {
    answer: WebhookRecord,
    isList: true,
    description: 'The webhooks, by name.',
    errors: ERRORS_WITHOUT_COMMIT,
  },
  setWebhook: {
    body: WebhookRequest,
    example: { url: 'https://ci.example.com/prompts', events: ['version.published', 'label.moved'] },
    answer: WebhookAnswer,
    created: 'The new webhook, with its secret.',
    description: 'The webhook; its secret is null, because it was there.',
    errors: ERRORS_WITHOUT_COMMIT,
  },
  removeWebhook: {
    answer: WebhookRemoval,
    description: 'The webhook that was removed.',
    errors: ERRORS_WITHOUT_COMMIT,
  },
  changeOwner: {
    body: OwnerPatch,
    example: { name: 'Acme', bio: 'Prompts for code review.' },
    answer: OwnerAnswer,
    description: 'The current owner; `commit` is null if nothing changed.',
    errors: CHANGE_ERRORS.filter((code) => code !== 'quota_exceeded' && code !== 'repo_archived'),
  },
}

function describeChange(id: keyof typeof CHANGES, schemas: Components): Json {
  const { body, example, isOptional, answer, isList = false, description, errors, created } = CHANGES[id]
  const given = jsonContent(toSchema(isList ? list(answer) : single(answer), schemas))
  const isPublish = id === 'acceptProposal'
  const answered = { description, ...(isPublish && { headers: headersOf('Idempotency-Replayed') }), content: given }
  const content = body && { schema: toSchema(body, schemas), example }
  return {
    tags: [id === 'acceptProposal' || id === 'rejectProposal' ? 'Proposals' : 'Managing'],
    security: [{ token: [] }],
    parameters: parametersIn(ROUTES[id].path).map(describePathParameter),
    ...(content && {
      requestBody: {
        required: !isOptional,
        content: {
          'application/json': content,
          ...(ROUTES[id].method === 'PATCH' && { 'application/merge-patch+json': content }),
        },
      },
    }),
    responses: {
      '200': answered,
      ...(created !== undefined && {
        '201': { description: created, ...(isPublish && { headers: headersOf('Location') }), content: given },
      }),
      ...describeErrors(errors),
    },
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
