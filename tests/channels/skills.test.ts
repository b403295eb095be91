// Tests that the skill files of a build are outside the rate limit on both hosts, and that a client gets all of them.
import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { buildCatalogue } from '../../src/catalogue/catalogue.ts'
import { listDataFiles } from '../../src/catalogue/published/data-files.ts'
import { digestText } from '../../src/files/measure.ts'
import { limitInMemory } from '../../src/state/rate-limiter.ts'
import { aRepository, aTree, aVersion } from '../fixtures/records.ts'
import { openApp } from '../hubs/app.ts'
import { makeHub } from '../hubs/make-hub.ts'
import { listen } from '../listen.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const SKILLS = 140
const skill = { description: 'Does a thing.', license: null }
const names = Array.from({ length: SKILLS }, (_, index) => `skill-${index}`)
const tree = aTree(names.map((name) => aRepository(`acme/${name}`, { versions: [aVersion('1.0.0', { skill })] })))
const catalogue = buildCatalogue(tree, { baseUrl: 'https://hub.test', day: '2026-11-20' })
const files = new Map(listDataFiles(catalogue, digestText))
const openHub = (requests: number) =>
  makeHub({
    siteFiles: { read: async (path) => (files.has(path) ? new TextEncoder().encode(files.get(path)) : undefined) },
    limiter: limitInMemory({ requests, windowMs: 60_000 }),
  })
const INDEX = '/acme/.well-known/agent-skills/index.json'

test('the index of an owner and the SKILL.md of a version are outside the limit; all else counts', async () => {
  const hub = openHub(1)
  const statusOf = async (path: string) => (await openApp(() => hub)(new Request(`https://hub.test${path}`))).status
  for (let round = 0; round < 3; round++) {
    expect(await statusOf(INDEX)).toBe(200)
    expect(await statusOf('/acme/skill-7/v/1.0.0/SKILL.md')).toBe(200)
  }
  expect(await statusOf('/acme/skill-7/SKILL.md')).toBe(200)
  for (const path of ['/acme/skill-7/SKILL.md', '/acme/nothing/v/1.0.0/SKILL.md', '/acme/skill-7/v/1.0.1/SKILL.md'])
    expect(await statusOf(path), path).toBe(429)
  expect(await statusOf('/nobody/.well-known/agent-skills/index.json')).toBe(429)
})

test('the skills CLI installs every skill of an owner, although there are more than the limit', async () => {
  const hub = openHub(4)
  const server = createServer(async (asked, answer) => {
    const response = await openApp(() => hub)(new Request(`http://localhost${asked.url}`))
    answer.writeHead(response.status, Object.fromEntries(response.headers))
    answer.end(Buffer.from(await response.arrayBuffer()))
  })
  const url = await listen(server)
  const dir = temporaryFolder('hub-skills-')
  try {
    const command = [resolve('tests/node_modules/skills/bin/cli.mjs'), 'add', `${url}/acme`]
    const env = { PATH: process.env.PATH, HOME: dir, DO_NOT_TRACK: '1', DISABLE_TELEMETRY: '1' }
    const options = ['--yes', '--skill', '*', '--agent', 'claude-code']
    await promisify(execFile)(process.execPath, [...command, ...options], { cwd: dir, env })
    expect(readdirSync(join(dir, '.claude/skills')).sort()).toEqual([...names].sort())
  } finally {
    server.close()
  }
})

test('the index of the hub has pages, also for older clients', async () => {
  const hub = openHub(9)
  const read = async (path: string) => {
    const response = await openApp(() => hub)(new Request(`https://hub.test${path}`))
    return { status: response.status, body: await response.json() }
  }
  for (const folder of ['agent-skills', 'skills']) {
    const first = (await read(`/.well-known/${folder}/index.json`)).body
    expect([first.skills.length, first.next]).toEqual([100, '/.well-known/agent-skills/index.json?page=2'])
    const second = (await read(`/.well-known/${folder}/index.json?page=2`)).body
    expect([second.skills.length, second.next]).toEqual([40, null])
    expect(new Set([...first.skills, ...second.skills].map(({ name }) => name)).size).toBe(SKILLS)
    expect((await read(`/acme/.well-known/${folder}/index.json`)).body.skills.length).toBe(SKILLS)
  }
  expect((await read('/.well-known/agent-skills/index.json?page=3')).status).toBe(404)
  expect((await read('/.well-known/agent-skills/index.json?page=x')).status).toBe(400)
})

const unasked = () => Promise.reject(new Error('asked the hub'))

test('a browser may ask first, as for the API', async () => {
  const request = new Request(`https://hub.example${INDEX}`, { method: 'OPTIONS' })
  const { status, headers } = await openApp(unasked)(request)
  expect([status, headers.get('Access-Control-Allow-Methods')]).toEqual([204, 'GET, HEAD, OPTIONS'])
})

test.each([
  ['/Acme/forms/SKILL.md?x=A', '/acme/forms/SKILL.md?x=A'],
  ['/acme/Forms/v/1.0.0/Scripts/Fill.py', '/acme/forms/v/1.0.0/Scripts/Fill.py'],
  ['/ACME/.well-known/agent-skills/index.json', '/acme/.well-known/agent-skills/index.json'],
])('%s redirects to lower case, except for the path of a file', async (path, lower) => {
  const { status, headers } = await openApp(unasked)(new Request(`https://hub.example${path}`))
  expect([status, headers.get('Location')]).toEqual([308, lower])
})
