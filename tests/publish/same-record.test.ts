// Publishes the same prompt file with curl, hubcli and the publish action, which must give the same version.
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openJobVerifier } from '../../src/account/providers/job-verifier.ts'
import { HUBCLI } from '../cli/assembled.ts'
import { type Hub, openHub, serve } from '../hubs/publishing.ts'
import { openLocalWorld, type World } from '../hubs/worlds.ts'
import { ISSUER, type Issuer, startIssuer } from '../oidc/issuer.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const OWNER = `---
trusted_publishers:
  - {repository: octo/prompts, repository_id: 1001, repository_owner_id: 2002, workflow: publish.yml}
---
`
const FILE = `---
title: Code reviews
description: Reviews a change, with a severity for each finding.
tags: [code, review]
license: CC0-1.0
format: chat
variables:
  - name: language
    type: enum
    options: [Go, "Rust & C"]
    default: Go
    description: 'The language: of the change'
  - {name: diff, description: The change., example: "+ a\\n- b"}
parameters: {temperature: 0.2, stop: ["\\n\\n", "é 🦄"]}
---
{{role "system"}}
You review {{language}}.\r
\t--- and é 🦄 ---

{{role "user"}}
{{diff}}`

let issuer: Issuer
let world: World
let hub: Hub
let url: string
let close: () => Promise<void>
const dir = temporaryFolder('hub-same-record-')
beforeAll(async () => {
  issuer = await startIssuer()
  world = openLocalWorld({ 'content/acme/index.md': OWNER })
  ;({ url, close } = await serve(async (request) => {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname !== '/token') return hub.answer(request)
    return Response.json({ value: await issuer.sign({ aud: searchParams.get('audience') }) })
  }))
  const verifyJob = await openJobVerifier({ issuer: ISSUER, jwksUrl: issuer.jwksUrl, audience: url })
  hub = await openHub(world, { verifyJob, spendJob: async () => true })
  mkdirSync(join(dir, 'prompts'))
})
afterAll(async () => {
  await close?.()
  await issuer?.close()
})

const WAYS: Record<string, (name: string, file: string) => readonly [string, string[], Record<string, string>?]> = {
  curl: (name, file) => [
    'curl',
    [
      ...['-fsS', '--data-binary', `@${file}`, '-H', `Authorization: Bearer ${hub.token}`],
      ...[
        '-H',
        'Content-Type: text/markdown',
        `${url}/api/v1/repos/acme/${name}/versions?bump=minor&changelog=First%20%C3%A9`,
      ],
    ],
  ],
  hubcli: (name, file) => [
    'sh',
    [HUBCLI, 'push', `acme/${name}`, file, 'First é', 'minor'],
    { HUB_URL: url, HUB_TOKEN: hub.token },
  ],
  action: (_, file) => [
    process.execPath,
    [resolve('.github/actions/publish/publish.ts')],
    {
      HUB: url,
      OWNER: 'acme',
      FILES: file,
      CHANGELOG: 'First é',
      BUMP: 'minor',
      ACTIONS_ID_TOKEN_REQUEST_URL: `${url}/token?v=1`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'request',
    },
  ],
}

test('curl, hubcli and the action publish the same version of the same prompt file', async () => {
  const records: unknown[] = []
  for (const [way, command] of Object.entries(WAYS)) {
    const name = `by-${way}`
    writeFileSync(join(dir, `prompts/${name}.md`), FILE)
    const [program, args, env] = command(name, `prompts/${name}.md`)
    await promisify(execFile)(program, args, { cwd: dir, env: { PATH: process.env.PATH, HOME: dir, ...env } })
    const { text } = await hub.read(`/api/v1/repos/acme/${name}`)
    const version = (await hub.read(`/api/v1/repos/acme/${name}/versions/1.0.0`)).text
    const [repository, record] = [text, version].map((json) => JSON.parse(json.replaceAll(name, 'name')).data)
    expect([record.provenance === null, record.publisher === null]).toEqual(Array(2).fill(way !== 'action'))
    records.push({
      ...record,
      published_at: '',
      provenance: null,
      publisher: null,
      repository: { ...repository, created_at: '', updated_at: '', has_provenance: false, publisher: null },
    })
  }
  expect(records[0]).toMatchObject({
    changelog: 'First é',
    format: 'chat',
    content: FILE.slice(FILE.indexOf('---\n{{role') + 4),
    parameters: { temperature: 0.2, stop: ['\n\n', 'é 🦄'] },
    repository: { title: 'Code reviews', tags: ['code', 'review'] },
  })
  expect(records.slice(1)).toEqual([records[0], records[0]])
})
