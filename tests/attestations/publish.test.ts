// Tests publishing with attestations: a version that a trusted workflow signed is published with them, and any other attestation is refused before anything is written.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formatTrustedRootFile } from '../../src/domain/content/trusted-root-file.ts'
import { type Answer, type Hub, openHub } from '../hubs/publishing.ts'
import { openLocalWorld, type World } from '../hubs/worlds.ts'
import { PREDICATE, type SigstoreServices, startSigstore } from './sigstore-services.ts'

const sha256 = (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex')
const OWNER = `---
trusted_publishers:
  - repository: Octo/Prompts
    repository_id: 1001
    repository_owner_id: 2002
    workflow: publish.yml
---
`
const CONTENT = 'Review {{code}}.\n'

let sigstore: SigstoreServices
let world: World
let hub: Hub
beforeAll(async () => {
  sigstore = await startSigstore()
  const trusted = formatTrustedRootFile({ renewed_at: '2026-11-26', roots: [sigstore.root] })
  world = openLocalWorld({ 'content/acme/index.md': OWNER, 'content/trusted-root.json': trusted })
  hub = await openHub(world)
  await hub.build()
})
afterAll(async () => {
  await sigstore?.close()
  world?.close()
})

const commits = async () =>
  execFileSync('git', ['rev-list', '--count', 'HEAD'], { cwd: await world.gitFolder(), encoding: 'utf8' }).trim()

describe('a signed publish', () => {
  test('is served with its attestation, at once and after a build', async () => {
    const bundle = await sigstore.sign({ about: [sha256(CONTENT)] })
    const answer: Answer = await hub.publish({ content: CONTENT, attestations: [bundle] })
    expect([answer.status, answer.message]).toEqual([201, ''])
    const text = JSON.stringify(bundle)
    const facts = {
      name: '1.sigstore.json',
      url: 'https://hub.example/api/v1/repos/acme/code-review/versions/1.0.0/attestations/1.sigstore.json',
      sha256: sha256(text),
      size_bytes: Buffer.byteLength(text),
      predicate_type: PREDICATE,
      issuer: 'https://token.actions.githubusercontent.com',
      repository: 'octo/prompts',
      workflow: 'octo/prompts/.github/workflows/publish.yml@refs/heads/main',
      identity: 'https://github.com/octo/prompts/.github/workflows/publish.yml@refs/heads/main',
      ref: 'refs/heads/main',
      sha: 'a'.repeat(40),
      run_url: 'https://github.com/octo/prompts/actions/runs/30433642/attempts/1',
    }
    const publisher = { repository: 'octo/prompts', workflow: 'octo/prompts/.github/workflows/publish.yml' }
    expect(answer.data).toMatchObject({ attestations: [facts], publisher })
    for (const moment of ['at once', 'after a build']) {
      if (moment === 'after a build') await hub.build()
      const record = await hub.readRepository('/versions/1.0.0')
      expect(record.data, moment).toMatchObject({ attestations: [facts], publisher })
      const list = await hub.readRepository('/versions/1.0.0/attestations')
      expect([list.status, JSON.parse(list.text)], moment).toEqual([
        200,
        { data: [facts], meta: { page: 1, pages: 1, total: 1 } },
      ])
      const one = await hub.readRepository('/versions/1.0.0/attestations/1.sigstore.json')
      expect([one.status, one.text], moment).toEqual([200, text])
      expect(one.headers.get('Content-Type'), moment).toBe('application/vnd.dev.sigstore.bundle.v0.3+json')
      expect(one.headers.get('Cache-Control'), moment).toBe('public, max-age=31536000, immutable')
    }
    const files = execFileSync('git', ['show', '--name-only', '--format=', 'HEAD'], {
      cwd: await world.gitFolder(),
      encoding: 'utf8',
    })
    expect(files.trim().split('\n')).toEqual([
      'content/acme/code-review/attestations/1.0.0/1.sigstore.json',
      'content/acme/code-review/versions/1.0.0.md',
    ])
  })
})

describe('nothing is written for', () => {
  test('an attestation about other bytes', async () => {
    const before = await commits()
    const content = 'Review {{code}} again.\n'
    const answer = await hub.publish({ content, attestations: [await sigstore.sign({ about: ['b'.repeat(64)] })] })
    expect([answer.status, answer.message]).toEqual([
      422,
      `attestations.0: expected a statement about the SHA-256 of the content, ${sha256(content)}, got one about ${'b'.repeat(64)}.`,
    ])
    expect(await commits()).toBe(before)
  })
})
