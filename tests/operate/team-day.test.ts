// Tests a team's day from end to end: a push publishes and signs a version, its evaluation is reported and moves the label, a worse version cannot take it, and whoever has locked the prompt notices another publisher. The actions' own scripts and the clients run against one hub in this process.
import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openJobVerifier } from '../../src/account/providers/job-verifier.ts'
import { formatTrustedRootFile } from '../../src/domain/content/trusted-root-file.ts'
import { startServer } from '../../src/hosts/node/http/http-server.ts'
import { listenTo } from '../../src/hosts/node/http/listener.ts'
import { reviewContent } from '../../src/review/review-content.ts'
import { useOnce } from '../../src/state/single-use.ts'
import { type SigstoreServices, startSigstore } from '../attestations/sigstore-services.ts'
import { HUBCLI } from '../cli/assembled.ts'
import { COMPILED } from '../compiled.ts'
import { memoryState } from '../hubs/memory-state.ts'
import { type Hub, openHub, serveHub } from '../hubs/publishing.ts'
import { openLocalWorld, type World } from '../hubs/worlds.ts'
import { ISSUER, type Issuer, startIssuer } from '../oidc/issuer.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const trusted = (workflow: string) =>
  `  - {repository: octo/prompts, repository_id: 1001, repository_owner_id: 2002, workflow: ${workflow}, permissions: [publish, maintain]}\n`
const OWNER = `---
members: [octocat]
trusted_publishers:
${trusted('publish.yml')}${trusted('other.yml')}protected_labels:
  - {label: production, requires: [quality]}
---
`
const claimsOf = (workflow: string) => {
  const path = `octo/prompts/.github/workflows/${workflow}@refs/heads/main`
  return { workflow_ref: path, job_workflow_ref: path }
}
/** The team's evaluation, for Node's test runner: what the prompt must say. */
const EVALUATION = `import { readFileSync } from 'node:fs'
import test from 'node:test'
const text = readFileSync('tested.md', 'utf8')
for (const word of ['line', 'severity', '{{code}}'])
  test(\`asks for \${word}\`, () => { if (!text.includes(word)) throw new Error(\`\${word} is missing\`) })
`
const HEAD = `---
title: Code review
description: Finds real problems in a change and says how bad they are.
tags: [code]
license: MIT
variables:
  - {name: code, description: The change}
---
`
const GOOD = 'Review {{code}}. Name the line and the severity of each problem.\n'
const WORSE = 'Review {{code}}. Name the line of each problem.\n'
const BETTER = 'Review {{code}}. Name the line, the severity and the fix of each problem.\n'

interface Ran {
  code: number
  stdout: string
  stderr: string
}
let issuer: Issuer
let sigstore: SigstoreServices
let world: World
let hub: Hub
let url: string
let close: () => Promise<void>
let dir: string
/** The checkout of the job. */
let checkout: string
/** The file of the workflow that runs. */
let workflow = 'publish.yml'
/** The data files of the last build. */
let files: ReadonlyMap<string, string> = new Map()

beforeAll(async () => {
  issuer = await startIssuer()
  sigstore = await startSigstore()
  const roots = formatTrustedRootFile({ renewed_at: '2026-11-26', roots: [sigstore.root] })
  world = openLocalWorld({ 'content/acme/index.md': OWNER, 'content/trusted-root.json': roots })
  const host = await startServer(
    listenTo(async (request) => {
      const { pathname, searchParams } = new URL(request.url)
      if (pathname === '/token')
        return Response.json({ value: await issuer.sign({ ...claimsOf(workflow), aud: searchParams.get('audience') }) })
      if (pathname === '/github/repos/octo/prompts/attestations') return new Response('{}', { status: 422 })
      if (!pathname.startsWith('/data/')) return serveHub(hub)(request)
      const text = files.get(pathname)
      if (text === undefined) return new Response(null, { status: 404 })
      return new Response(text, {
        headers: { 'Content-Type': pathname.endsWith('.json') ? 'application/json' : 'text/plain' },
      })
    }),
    0,
  )
  close = () => host.stop(0)
  url = `http://localhost:${(host.server.address() as AddressInfo).port}`
  const state = memoryState()
  const verifyJob = await openJobVerifier({ issuer: ISSUER, jwksUrl: issuer.jwksUrl, audience: url })
  hub = await openHub(world, {
    state,
    auth: {
      verifyJob,
      spendJob: ({ jti, request, endsMs }) => useOnce(state, { kind: 'jti', id: jti, use: request, endsMs }),
    },
  })
  files = await hub.build()
  dir = temporaryFolder('prompt-hub-day-')
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', join(dir, 'origin')])
  checkout = join(dir, 'checkout')
  execFileSync('git', ['clone', '-q', join(dir, 'origin'), checkout], { stdio: 'ignore' })
  mkdirSync(join(checkout, 'prompts'))
  writeFileSync(join(checkout, 'evaluate.test.mjs'), EVALUATION)
})
afterAll(async () => {
  await close?.()
  await issuer?.close()
  await sigstore?.close()
})

/** Runs a program in a folder. */
const run = (program: string, args: readonly string[], cwd: string, env: Record<string, string> = {}): Promise<Ran> =>
  new Promise((done) => {
    const all = { PATH: process.env.PATH, ...COMPILED, HOME: dir, HUB_URL: url, NODE_NO_WARNINGS: '1', ...env }
    execFile(program, args, { cwd, env: all }, (error, stdout, stderr) =>
      done({ code: error ? Number(error.code) : 0, stdout: stdout.replaceAll(/::add-mask::\S+\n/g, ''), stderr }),
    )
  })
/** Runs the script of an action, as a job does. */
const act = (script: string, env: Record<string, string>) =>
  run(resolve('.github/actions', script), [], checkout, {
    HUB: url,
    ACTIONS_ID_TOKEN_REQUEST_URL: `${url}/token?v=1`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'request',
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_REPOSITORY: 'octo/prompts',
    GITHUB_RUN_ID: '77',
    GITHUB_REF: 'refs/heads/main',
    GITHUB_TOKEN: 'github',
    GITHUB_API_URL: `${url}/github`,
    RUNNER_TEMP: dir,
    ...env,
  })
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args], { cwd: checkout })

/** Reads a line as `sha256sum` writes it. */
const readSubject = (line: string) => ({ sha256: line.slice(0, 64), name: line.slice(66) })

/** Pushes a text, and runs the publish action as its action.yml does. */
async function push(text: string, message: string, more: Record<string, string> = {}): Promise<Ran> {
  writeFileSync(join(checkout, 'prompts/review.md'), HEAD + text)
  git('add', '.')
  git('commit', '-qm', message)
  git('push', '-q', 'origin', 'main')
  const output = join(dir, 'output')
  writeFileSync(output, '')
  const given = { OWNER: 'acme', FILES: 'prompts/*.md', BUMP: 'minor', GITHUB_OUTPUT: output }
  await act('publish/publish.sh', { ...given, MODE: 'subjects' })
  const subjects = /^path=(.*)$/m.exec(readFileSync(output, 'utf8'))?.[1] ?? ''
  const about = readFileSync(subjects, 'utf8').trim().split('\n')
  const bundle = await sigstore.sign({ about: about.map(readSubject), claims: claimsOf(workflow) })
  const ATTESTATION = join(dir, 'attestation.json')
  writeFileSync(ATTESTATION, JSON.stringify(bundle))
  const published = await act('publish/publish.sh', { ...given, ATTESTATION, ...more })
  files = await hub.build()
  return published
}

/** Evaluates a version, and runs the result action, which also moves the label. */
async function evaluate(version: string): Promise<Ran> {
  const { stdout } = await run(HUBCLI, ['cat', `acme/review@${version}`], checkout)
  writeFileSync(join(checkout, 'tested.md'), stdout)
  const junit = ['--test', '--test-reporter=junit', '--test-reporter-destination=out.xml', 'evaluate.test.mjs']
  await run(process.execPath, junit, checkout)
  const given = { PROMPT: 'acme/review', VERSION: version, SUITE: 'quality', OUTPUT: 'out.xml', LABEL: 'production' }
  const reported = await act('result/result.sh', given)
  files = await hub.build()
  return reported
}

const read = async (rest = '') => (await fetch(`${url}/api/v1/repos/acme/review${rest}`)).json()
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const MISSING = (version: string) => `acme requires results before production moves to ${version}: quality has 1 failed`

test('a push publishes a signed version', async () => {
  expect(await push(GOOD, 'Ask for severity')).toEqual({ code: 0, stdout: 'acme/review 1.0.0\n', stderr: '' })
  const { data } = await read('/versions/1.0.0')
  expect(data).toMatchObject({
    content: GOOD,
    changelog: 'Ask for severity',
    provenance: { repository: 'octo/prompts', run_id: '30433642' },
    attestations: [{ repository: 'octo/prompts', workflow: claimsOf('publish.yml').job_workflow_ref }],
    publisher: { repository: 'octo/prompts', workflow: 'octo/prompts/.github/workflows/publish.yml' },
  })
  // Whoever downloads the attestation gets a statement about these bytes, and about all else that callers get.
  const bundle = await read('/versions/1.0.0/attestations/1.sigstore.json')
  const statement = JSON.parse(Buffer.from(bundle.dsseEnvelope.payload, 'base64').toString())
  const manifest = `{"content_sha256":"${sha256(GOOD)}","files":[],"format":"text","parameters":{},"skill":null,"variables":[{"default":null,"description":"The change","example":null,"name":"code","options":[],"required":true,"type":"string"}]}`
  expect(statement.subject).toEqual([
    { name: 'acme/review', digest: { sha256: sha256(GOOD) } },
    { name: 'acme/review#manifest', digest: { sha256: sha256(manifest) } },
  ])
})

test('its evaluation is on the version, and moves the label', async () => {
  expect(await evaluate('1.0.0')).toEqual({
    code: 0,
    stderr: '',
    stdout: 'acme/review 1.0.0 quality: 3 passed, 0 failed\nacme/review production 1.0.0\n',
  })
  expect((await read('/versions/1.0.0/results')).data).toMatchObject([
    {
      suite: 'quality',
      content_sha256: sha256(GOOD),
      passed: 3,
      failed: 0,
      score: 1,
      url: 'https://github.com/octo/prompts/actions/runs/77',
      provenance: { workflow: claimsOf('publish.yml').job_workflow_ref },
    },
  ])
  expect((await read()).data.labels).toEqual({ production: '1.0.0' })
})

describe('a worse version', () => {
  test('is published, and its result is reported, but it does not get the label', async () => {
    const published = await push(WORSE, 'Be brief', { LABEL: 'production' })
    expect(published).toMatchObject({ code: 1, stdout: 'acme/review 1.1.0\n' })
    expect(published.stderr).toContain(
      'acme/review 1.1.0 was published, but production was not moved: acme requires results before production moves to 1.1.0: quality has no result.',
    )
    const { code, stdout, stderr } = await evaluate('1.1.0')
    expect([code, stdout]).toEqual([1, 'acme/review 1.1.0 quality: 2 passed, 1 failed\n'])
    expect(stderr).toContain(`::error::hubcli: ${MISSING('1.1.0')}`)
    const { data } = await read()
    expect([data.latest_version, data.labels]).toEqual(['1.1.0', { production: '1.0.0' }])
  })

  test('does not get it by the API or hubcli', async () => {
    const token = await hub.makeToken({ permissions: ['publish', 'label', 'maintain'] })
    const moved = await fetch(`${url}/api/v1/repos/acme/review/labels/production`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: '{"version":"1.1.0"}',
    })
    const { error } = await moved.json()
    expect([moved.status, error.code]).toEqual([422, 'evidence_missing'])
    const env = { HUB_TOKEN: token }
    const label = await run(HUBCLI, ['label', 'acme/review', 'production', '1.1.0'], dir, env)
    expect(label).toMatchObject({ code: 4, stdout: '', stderr: expect.stringContaining(MISSING('1.1.0')) })
    expect((await read()).data.labels).toEqual({ production: '1.0.0' })
  })

  test('does not get it by a pull request, not even with a result of its own', async () => {
    const clone = join(dir, 'pull')
    execFileSync('git', ['clone', '-q', dirname(await world.contentDir()), clone])
    const judge = async () => {
      const { entries } = await reviewContent({
        contentDir: join(clone, 'content'),
        base: 'HEAD',
        environment: process.env,
        mayBePublisher: () => true,
        mayReport: () => false,
      })
      return entries.flatMap(({ severity, rule, message }) => (severity === 'error' ? [`${rule}: ${message}`] : []))
    }
    const index = join(clone, 'content/acme/review/index.md')
    writeFileSync(index, readFileSync(index, 'utf8').replace('production: "1.0.0"', 'production: "1.1.0"'))
    const missing = expect.stringContaining(`labels-have-results: labels.production: ${MISSING('1.1.0')}`)
    expect(await judge()).toEqual([missing])
    const result = join(clone, 'content/acme/review/results/1.1.0/quality.yml')
    const passed = readFileSync(result, 'utf8').replace('passed: 2\nfailed: 1', 'passed: 3\nfailed: 0')
    writeFileSync(
      result,
      passed.replace(/provenance:\n(?: +.*\n)+/, '').replace('reported_by: acme', 'reported_by: octocat'),
    )
    expect(await judge()).toEqual([expect.stringContaining('labels-have-results: ')])
  })
})

describe('whoever uses the prompt', () => {
  const cwd = () => join(dir, 'consumer')
  const hubcli = (...args: string[]) => run(HUBCLI, args, cwd())
  const locked = () => readFileSync(join(cwd(), 'prompts.lock'), 'utf8')

  test('locks the label with its publisher', async () => {
    mkdirSync(cwd())
    expect(await hubcli('add', 'acme/review@production')).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(locked()).prompts['acme/review']).toMatchObject({
      version: '1.0.0',
      publisher: {
        repository: 'octo/prompts',
        attested: true,
        workflow: expect.stringContaining('/publish.yml'),
      },
    })
    expect(await hubcli('update')).toMatchObject({ code: 0, stdout: '' })
    expect((await hubcli('install', '--require-attestation')).code).toBe(0)
  })

  test('refuses a version that another workflow has published, until it is accepted', async () => {
    workflow = 'other.yml'
    expect((await push(BETTER, 'Ask for the fix')).stdout).toBe('acme/review 1.2.0\n')
    expect((await evaluate('1.2.0')).stdout).toContain('acme/review production 1.2.0\n')
    const before = locked()
    const refused = await hubcli('update')
    expect(refused).toMatchObject({ code: 4, stdout: '' })
    expect(refused.stderr).toContain('acme/review 1.2.0 was published by octo/prompts/.github/workflows/other.yml')
    expect(locked()).toBe(before)
    const accepted = await hubcli('update', '--accept-publisher')
    expect(accepted).toMatchObject({ code: 0, stdout: expect.stringContaining('acme/review 1.0.0 -> 1.2.0') })
    expect(readFileSync(join(cwd(), 'prompts/acme/review.md'), 'utf8')).toBe(BETTER)
  })

  test('refuses a version without a signature, if it requires one', async () => {
    expect((await hub.publish({ content: 'Unsigned.\n' }, { to: 'acme/unsigned' })).status).toBe(201)
    files = await hub.build()
    expect((await hubcli('add', 'acme/unsigned')).code).toBe(0)
    expect(await hubcli('install', '--require-attestation')).toMatchObject({
      code: 4,
      stdout: '',
      stderr: expect.stringContaining('acme/unsigned 1.0.0 has no attestation'),
    })
  })
})
