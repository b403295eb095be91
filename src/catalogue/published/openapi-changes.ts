// Describes the changes of what is published for the OpenAPI document, as a table.
import type * as z from 'zod'
import type { ErrorCode } from '../../domain/api/errors.ts'
import { RejectedProposal } from '../../domain/api/proposal.ts'
import { ROUTES, type WriteId } from '../../domain/api/routes.ts'
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
import {
  describeErrors,
  describePathParameter,
  headersOf,
  type Json,
  jsonContent,
  PUBLISH_ERRORS,
  parametersIn,
} from './openapi-parts.ts'
import { type Components, toSchema } from './openapi-schema.ts'
import {
  ChangeAnswer,
  DeletionAnswer,
  LabelsAnswer,
  OwnerAnswer,
  PublishAnswer,
  ResultAnswer,
  ResultRemoval,
  WebhookAnswer,
  WebhookRemoval,
} from './route-schemas.ts'

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
    errors: [...CHANGE_ERRORS, 'evidence_missing', 'approval_needed'],
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
      'approval_needed',
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
    errors: [
      ...PUBLISH_ERRORS.filter((code) => code !== 'idempotency_key_reused'),
      'too_late',
      'evidence_missing',
      'approval_needed',
    ],
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

/** Describes one change. @param schemas receives named schemas */
export function describeChange(id: keyof typeof CHANGES, schemas: Components): Json {
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
