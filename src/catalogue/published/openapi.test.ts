// Tests the OpenAPI description: it lists every path and describes every field, and real responses match it. See
// docs/contract.md section 4.

import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { pointing } from '../../../tests/fixtures/labels.ts'
import { anIndex, anOwner, aRepository, aTree, aVersion } from '../../../tests/fixtures/records.ts'
import { words } from '../../../tests/words.ts'
import { readContentDir } from '../../content/content-dir.ts'
import { Difference, list, ModelUse, OwnerCount, VersionRow } from '../../domain/api/schema.ts'
import { digestText } from '../../files/measure.ts'
import { buildCatalogue } from '../catalogue.ts'
import { listDataFiles } from './data-files.ts'
import { describeApi } from './openapi.ts'

type Json = { [key: string]: Json } & Json[]
const api = JSON.parse(JSON.stringify(describeApi('https://hub.test'))) as Json

test('is OpenAPI 3.1 with the hub as its server and requires no token by default', () => {
  expect(api).toMatchObject({
    openapi: expect.stringMatching(/^3\.1\./),
    servers: [{ url: 'https://hub.test' }],
    security: [],
  })
})

test('lists every endpoint with its parameters, status codes and media types', () => {
  const operations = Object.entries(api.paths!).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, parameters, responses }]) => {
      const given = parameters!.map((parameter) => `${parameter.in}:${parameter.name}`)
      const ofPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => `path:${name}`)
      expect([path, given.filter((one) => one.startsWith('path:'))]).toEqual([path, ofPath])
      const others = given.filter((one) => !one.startsWith('path:') && one !== 'header:If-None-Match')
      const types = Object.keys((responses!['200'] ?? responses!['201'])!.content!).join(' ')
      return [`${method} ${path}`, operationId, Object.keys(responses!).join(' '), types, others.join(' ')]
    }),
  )
  const fixed = '200 304 429 500 503'
  const read = '200 304 308 404 429 500 503'
  const change = '200 400 401 403 404 409 413 415 422 429 500 502 503'
  const webhook = change.replace('409 ', '')
  const json = 'application/json'
  const repo = '/api/v1/repos/{owner}/{name}'
  const version = `${repo}/versions/{version}`
  const publishing =
    'query:bump query:allow_breaking query:changelog query:expected_version query:format query:skill query:labels query:compose query:dry_run'
  expect(operations).toEqual([
    [
      'get /api/v1/repos',
      'listRepositories',
      '200 304 400 429 500 503',
      json,
      'query:page query:sort query:q query:tag query:kind',
    ],
    [`get ${repo}`, 'getRepository', read, json, ''],
    [`delete ${repo}`, 'deleteRepository', change, json, ''],
    [`patch ${repo}`, 'changeRepository', change, json, ''],
    [`get ${repo}/versions`, 'listVersions', read.replace('404', '400 404'), json, 'query:page'],
    [
      `post ${repo}/versions`,
      'publishVersion',
      change.replace('200', '200 201'),
      json,
      `header:Idempotency-Key ${publishing}`,
    ],
    [`get ${version}`, 'getVersion', read, json, ''],
    [`delete ${version}`, 'deleteVersion', change, json, ''],
    [
      `get ${version}/files/{path}`,
      'getFile',
      read,
      'text/plain image/png image/jpeg image/gif image/webp application/octet-stream',
      '',
    ],
    [`get ${version}/archive`, 'getArchive', read, 'application/gzip', ''],
    [`get ${version}/attestations`, 'listAttestations', read, json, ''],
    [
      `get ${version}/attestations/{attestation}`,
      'getAttestation',
      read,
      'application/vnd.dev.sigstore.bundle.v0.3+json',
      '',
    ],
    [`get ${version}/capabilities`, 'listCapabilities', read.replace('404', '400 404'), json, 'query:from'],
    [`get ${version}/results`, 'listResults', read, json, ''],
    [`put ${version}/results/{suite}`, 'recordResult', change, json, ''],
    [`delete ${version}/results/{suite}`, 'removeResult', change, json, ''],
    [
      `get ${repo}/raw`,
      'getRaw',
      read.replace('404', '400 404'),
      'text/plain',
      'query:version query:label query:at query:key',
    ],
    [`get ${repo}/activity`, 'listActivity', read, json, ''],
    [`get ${repo}/dependents`, 'listDependents', read, json, ''],
    ['get /api/v1/tags', 'listTags', fixed, json, ''],
    ['get /api/v1/users/{handle}', 'getUser', read, json, ''],
    ['patch /api/v1/users/{handle}', 'changeOwner', change, json, ''],
    ['get /api/v1/users/{handle}/labels/{label}', 'listLabelled', read, json, ''],
    ['put /api/v1/users/{handle}/labels/{label}', 'setLabels', change, json, ''],
    ['get /api/v1/users/{handle}/webhooks', 'listWebhooks', webhook, json, ''],
    ['put /api/v1/users/{handle}/webhooks/{webhook}', 'setWebhook', webhook.replace('200', '200 201'), json, ''],
    ['delete /api/v1/users/{handle}/webhooks/{webhook}', 'removeWebhook', webhook, json, ''],
    ['get /api/v1/openapi.json', 'getOpenapi', fixed, json, ''],
    [`put ${repo}/labels/{label}`, 'setLabel', change, json, ''],
    [`delete ${repo}/labels/{label}`, 'removeLabel', change, json, ''],
    [`put ${version}/yank`, 'yankVersion', change, json, ''],
    [`delete ${version}/yank`, 'unyankVersion', change, json, ''],
    [
      `get ${version}/export/{format}`,
      'exportVersion',
      read.replace('404', '404 422'),
      'text/markdown text/plain application/yaml application/json',
      '',
    ],
    [`post ${repo}/check`, 'checkVersion', change.replace('401 ', ''), json, publishing],
    [`post ${repo}/proposals`, 'proposeVersion', change.replace('200', '201'), json, publishing],
    [`get ${repo}/proposals`, 'listProposals', '200 401 403 404 429 500 502 503', json, ''],
    [`get ${repo}/proposals/{proposal}`, 'getProposal', '200 404 429 500 503', json, ''],
    [`get ${repo}/proposals/{proposal}/raw`, 'getProposalRaw', '200 404 409 422 429 500 502 503', 'text/plain', ''],
    [`post ${repo}/proposals/{proposal}/accept`, 'acceptProposal', change.replace('200', '200 201'), json, ''],
    [`post ${repo}/proposals/{proposal}/reject`, 'rejectProposal', change, json, ''],
  ])
})

test('lists the publish request fields and names every error that shares a status', () => {
  expect(api.paths!['/api/v1/repos/{owner}/{name}/versions']!.post).toMatchObject({
    security: [{ token: [] }],
    responses: {
      409: { description: expect.stringMatching(/repo_archived.*version_conflict/) },
      422: { description: expect.stringMatching(/validation_failed.*idempotency_key_reused/) },
    },
  })
  expect(Object.keys(api.components!.schemas!.PublishRequest!.properties!)).toEqual(words`
    content format messages compose recompose min_age_days changelog bump allow_breaking variables parameters skill files attestations title
    description tags license forked_from labels expected_version dry_run
  `)
})

test('a check takes the body of a publish, and no token', () => {
  const { publish, check } = {
    publish: api.paths!['/api/v1/repos/{owner}/{name}/versions']!.post!,
    check: api.paths!['/api/v1/repos/{owner}/{name}/check']!.post!,
  }
  expect([check.requestBody, check.security]).toEqual([publish.requestBody, undefined])
  expect(Object.keys(api.components!.schemas!.CheckAnswer!.properties!)).toEqual(words`
    would_be unchanged breaking content_sha256 bundle_sha256 manifest_sha256 fields changes composed warnings
  `)
})

test('a patch also has the media type of merge patches, as docs/contract.md section 7 says', () => {
  for (const path of ['/api/v1/repos/{owner}/{name}', '/api/v1/users/{handle}'])
    expect(api.paths![path]!.patch!.requestBody).toMatchObject({
      content: { 'application/json': {}, 'application/merge-patch+json': {} },
    })
})
test('no description is missing where another sentence includes it', () => {
  expect(JSON.stringify(api)).not.toContain('undefined')
})

test('describes the query parameters of the repository list', () => {
  const parameters = new Map(
    (api.paths!['/api/v1/repos']!.get!.parameters! as unknown as { name: string; schema: unknown }[]).map(
      ({ name, schema }) => [name, schema],
    ),
  )
  expect(parameters.get('page')).toEqual({ type: 'integer', minimum: 1, maximum: 100000, description: '1 by default.' })
  expect(parameters.get('sort')).toEqual({ type: 'string', enum: ['top', 'trending', 'new'] })
  expect(parameters.get('q')).toEqual({ type: 'string', maxLength: 200 })
  expect(parameters.get('tag')).toEqual({ type: 'array', items: { type: 'string' } })
})

test('describes every error response', () => {
  expect(Object.keys(api.components!.responses!)).toEqual(words`
    invalid_request unauthorized forbidden approval_needed quota_exceeded not_found method_not_allowed version_conflict repo_archived
    too_late content_too_large unsupported_media_type validation_failed evidence_missing bump_too_small not_convertible idempotency_key_reused
    rate_limited internal_error upstream_error unavailable
  `)
  expect(api.components!.schemas!.Error).toMatchObject({
    type: 'object',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['code', 'message'],
        properties: { code: { type: 'string' }, message: { type: 'string' } },
      },
    },
  })
})

describe('schemas', () => {
  const records = Object.entries(api.components!.schemas!).filter(([, schema]) => schema.properties)

  test('defines exactly the expected schemas', () => {
    expect(records.map(([name]) => name).sort()).toEqual(
      words`
        AcceptanceRequest
        Activity
        ActivityMeta
        Advisory
        Attestation
        Capability
        CapabilityDifference
        CapabilityMeta
        ChangeAnswer
        ChatHistory
        ChatMessage
        CheckAnswer
        Commit
        ConditionalLabel
        DeletionAnswer
        DeletionRequest
        Dependent
        Difference
        Draft
        Error
        Include
        LabelRemoval
        LabelRequest
        LabelTarget
        LabelledPrompt
        LabelsAnswer
        LabelsRequest
        Matched
        Meta
        ModelStatus
        MovedLabel
        OwnerAnswer
        OwnerPatch
        Proposal
        ProposalSummary
        Provenance
        PublishAnswer
        PublishRequest
        Publisher
        RejectedProposal
        RejectionRequest
        Repository
        RepositoryPatch
        RepositorySummary
        Result
        ResultAnswer
        ResultRemoval
        ResultRequest
        SearchMeta
        Share
        Skill
        SkillFile
        Stats
        Tag
        TrustedPublisher
        User
        Variable
        Version
        VersionSummary
        Warning
        Webhook
        WebhookAnswer
        WebhookRemoval
        WebhookRequest
        YankRequest
      `.sort(),
    )
  })

  test.each(records)(
    '%s describes all its fields; only responses require every field and allow new ones',
    (name, schema) => {
      expect(schema.description).toMatch(/\.$/)
      // The required fields of each request.
      const requests: Record<string, string[]> = {
        PublishRequest: [],
        AcceptanceRequest: [],
        RejectionRequest: [],
        RepositoryPatch: [],
        OwnerPatch: [],
        LabelRemoval: [],
        DeletionRequest: [],
        LabelRequest: ['version'],
        LabelsRequest: ['versions'],
        WebhookRequest: ['url'],
        Share: ['percent', 'version'],
        YankRequest: ['reason'],
        ResultRequest: ['failed', 'passed'],
        ConditionalLabel: ['label'],
        TrustedPublisher: ['repository', 'repository_id', 'repository_owner_id', 'workflow'],
      }
      const isRequest = name in requests
      expect([...((schema.required ?? []) as unknown as string[])].sort()).toEqual(
        requests[name] ?? (name === 'SearchMeta' ? ['page', 'pages', 'total'] : Object.keys(schema.properties!).sort()),
      )
      expect(schema.additionalProperties).toBe(isRequest || name === 'Error' ? false : undefined)
      const silent = (fields: Json): string[] =>
        Object.entries(fields).flatMap(([key, field]) => [
          ...(field.description || field.$ref || (field.properties && name === 'Error') ? [] : [key]),
          ...(field.properties ? silent(field.properties) : []),
        ])
      expect(silent(schema.properties!)).toEqual([])
    },
  )
})

describe('validating responses', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema(api, 'hub')
  const pointers: [RegExp, string][] = [
    [/^\/data\/v1\/(index|lists\/.+|tags\/.+)\.json$/, '/api/v1/repos'],
    [/^\/data\/v1\/tags\.json$/, '/api/v1/tags'],
    [/^\/data\/v1\/users\/[^/]+\.json$/, '/api/v1/users/{handle}'],
    [/^\/data\/v1\/users\/[^/]+\/labels\/[^/]+\.json$/, '/api/v1/users/{handle}/labels/{label}'],
    [/^\/data\/v1\/repos\/[^/]+\/[^/]+\.json$/, '/api/v1/repos/{owner}/{name}'],
    [/^\/data\/v1\/repos\/[^/]+\/[^/]+\/versions\/pages\/\d+\.json$/, '/api/v1/repos/{owner}/{name}/versions'],
    [/^\/data\/v1\/repos\/[^/]+\/[^/]+\/versions\/[^/]+\.json$/, '/api/v1/repos/{owner}/{name}/versions/{version}'],
  ]
  const validators = pointers.map(([file, path]) => {
    const escaped = path.replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D')
    const validate = ajv.getSchema(`hub#/paths/${escaped}/get/responses/200/content/application~1json/schema`)!
    return { file, validate }
  })
  // These lists exist only as files, not as API routes.
  validators.push({ file: /\/users\.json$/, validate: ajv.compile(z.toJSONSchema(list(OwnerCount))) })
  validators.push({ file: /\/models\.json$/, validate: ajv.compile(z.toJSONSchema(list(ModelUse))) })
  validators.push({ file: /\/versions\.json$/, validate: ajv.compile(z.toJSONSchema(list(VersionRow))) })
  validators.push({ file: /\/changes\.json$/, validate: ajv.compile(z.toJSONSchema(list(Difference))) })

  function findFaults(tree: Parameters<typeof buildCatalogue>[0]): { checked: number; faults: string[] } {
    const faults: string[] = []
    let checked = 0
    for (const [path, text] of listDataFiles(
      buildCatalogue(tree, { baseUrl: 'https://hub.test', day: '2026-11-20' }),
      digestText,
    )) {
      // Skips skills indexes, marketplaces and Sigstore's roots, whose clients define the format, and the hub's own files.
      if (!path.endsWith('.json')) continue
      if (/\/(?:openapi|trusted-root)\.json$|\/(?:skills|marketplaces?)[/.]|\/accounts\//.test(path)) continue
      const { validate } = validators.find(({ file }) => file.test(path))!
      checked++
      if (!validate(JSON.parse(text))) faults.push(`${path}: ${ajv.errorsText(validate.errors)}`)
    }
    return { checked, faults }
  }

  test('accepts every data file of a full catalogue', () => {
    const tree = aTree(
      [
        aRepository('acme/full', {
          file: anIndex({
            tags: ['a'],
            license: 'MIT',
            status: 'deprecated',
            status_message: 'x',
            labels: pointing({ production: '1.0.0' }),
            yanked: { '1.1.0': 'x' },
            readme: 'x',
          }),
          versions: [
            aVersion('1.0.0', {
              variables: [
                {
                  name: 'a',
                  description: '',
                  type: 'enum',
                  required: false,
                  default: 'x',
                  options: ['x'],
                  example: null,
                },
              ],
              parameters: { a: [1, { b: null }], c: true },
              provenance: { issuer: 'i', repository: 'a/b', workflow: 'w.yml', ref: 'r', sha: 's', run_id: '1' },
            }),
            aVersion('1.1.0'),
          ],
        }),
        aRepository('acme/gone', { file: anIndex({ yanked: { '1.0.0': 'x' } }) }),
        aRepository('mona/plain'),
      ],
      {
        owners: {
          acme: anOwner({
            name: 'Acme',
            bio: 'x',
            website: 'https://acme.test',
            avatar_url: 'https://acme.test/a.png',
          }),
        },
        usage: { 'acme/full': [1, 2] },
      },
    )
    expect(findFaults(tree)).toEqual({ checked: 31, faults: [] })
  })

  test('accepts every data file of the starter catalogue', () => {
    const { checked, faults } = findFaults(readContentDir('content').tree)
    expect(faults).toEqual([])
    expect(checked).toBeGreaterThan(10)
  })

  test('rejects a wrong response', () => {
    const { validate } = validators[1]!
    expect(validate({ data: [], meta: { page: 1, pages: 0, total: 0 } })).toBe(true)
    expect(
      validate({
        data: [{ name: 'a', count: 'many', url: 'https://hub.test' }],
        meta: { page: 1, pages: 0, total: 0 },
      }),
    ).toBe(false)
    expect(validate({ data: [] })).toBe(false)
  })

  test('accepts a response with unknown fields', () => {
    const { validate } = validators[1]!
    const tag = { name: 'a', count: 1, url: 'https://hub.test', since: '2027' }
    expect(validate({ data: [tag], meta: { page: 1, pages: 1, total: 1, cursor: 'x' }, more: true })).toBe(true)
  })
})
