// Checks that a deploy of Netlify, which builds a shallow clone, ends the fresh copies of what was taken down on GitHub.
// tests/publish/visible-at-once.test.ts has a takedown on a Node server, at every address.
import { createServer } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { getRequestListener } from '@hono/node-server'
import { BlobsServer } from '@netlify/blobs/server'
import { afterAll, expect, test } from 'vitest'
import { builtFile, indexOf, placesOf } from '../../src/build/build-places.ts'
import { writeData } from '../../src/build/write-data.ts'
import { writeBuildRecord } from '../../src/built/build-record.ts'
import { readBuildSource } from '../../src/built/build-source.ts'
import { folderFiles } from '../../src/built/site-files-folder.ts'
import { readConfig } from '../../src/config.ts'
import { createHubApp } from '../../src/hub/hub-app.ts'
import { findFile } from '../../src/server/static-files.ts'
import { netlifyState } from '../../src/state/state-netlify.ts'
import { startGitHubStandIn } from '../github/stand-in.ts'
import { BASE_URL } from '../hubs/make-hub.ts'
import { openHub } from '../hubs/publishing.ts'
import { openGitHubWorld } from '../hubs/worlds.ts'
import { listen } from '../listen.ts'
import { runSync } from '../run-sync.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const standIn = await startGitHubStandIn()
const dir = temporaryFolder('hub-takedown-')
const blobs = new BlobsServer({ directory: join(dir, 'blobs'), token: 'of-this-test', logger: () => {} })
const ends: (() => unknown)[] = [() => standIn.close(), () => blobs.stop()]
afterAll(() => Promise.all(ends.map((end) => end())))

/** Text that appears only in the content that is taken down. */
const SECRET = 'zanzibarword'
const version = (text: string) =>
  `---\npublished_at: "2026-11-01T00:00:00Z"\npublished_by: acme\nchangelog: First\n---\n${text}\n`

const api = '/api/v1/repos/acme'
const data = '/data/v1/repos/acme'
//  path                                status after the takedown
const ADDRESSES: readonly (readonly [string, number])[] = [
  [`${api}/kept`, 200],
  [`${api}/kept/versions`, 200],
  [`${api}/kept/versions/1.0.1`, 404],
  [`${api}/kept/raw`, 200],
  [`${api}/kept/raw?version=1.0.1`, 404],
  [`${api}/whole`, 404],
  [`${api}/whole/versions`, 404],
  [`${api}/whole/versions/1.0.0`, 404],
  [`${api}/whole/raw`, 404],
  [`${data}/kept.json`, 200],
  [`${data}/kept/versions/1.0.1.json`, 404],
  [`${data}/whole.json`, 404],
]
const CALLS: readonly (readonly [string, object])[] = [
  ['get_prompt', { owner: 'acme', name: 'kept' }],
  ['get_prompt', { owner: 'acme', name: 'kept', version: '1.0.1' }],
  ['get_prompt', { owner: 'acme', name: 'whole' }],
  ['list_versions', { owner: 'acme', name: 'kept' }],
]

test('a takedown on GitHub ends the fresh copies in Blobs with the next deploy', async () => {
  const { port } = await blobs.start()
  const edgeURL = `http://localhost:${port}`
  const access = { edgeURL, uncachedEdgeURL: edgeURL, siteID: 'local', token: 'of-this-test' }
  process.env.NETLIFY_BLOBS_CONTEXT = Buffer.from(JSON.stringify(access)).toString('base64')
  const world = await openGitHubWorld(standIn, {
    'content/acme/kept/versions/1.0.0.md': version('Plain'),
    'content/acme/other/versions/1.0.0.md': version('Other'),
  })
  const hub = await openHub(world, { state: netlifyState() })
  await hub.build()
  for (const name of ['kept', 'whole'])
    expect((await hub.publish({ content: `${SECRET}\n`, changelog: SECRET }, { to: `acme/${name}` })).status).toBe(201)
  for (const [path] of ADDRESSES.filter(([path]) => path.startsWith(api)))
    expect(await hub.read(path)).toMatchObject({ status: 200, text: expect.stringContaining(SECRET) })

  // A shallow clone does not show which of two commits in the same second came later.
  await sleep(1_005 - (Date.now() % 1_000))
  await standIn.commitOutside(world.place, {
    'content/acme/kept/versions/1.0.1.md': null,
    'content/acme/kept/index.md': '---\nremoved: {"1.0.1": Taken down}\n---\n',
    'content/acme/whole/versions/1.0.0.md': null,
    'content/acme/whole/index.md': '---\nremoved: {"1.0.0": Taken down}\n---\n',
  })
  const clone = join(dir, 'clone')
  const address = `file://${await world.gitFolder()}`
  runSync('git', ['clone', '-q', '--depth=1', '--branch', 'main', address, clone], {})
  const places = placesOf(join(dir, 'dist'))
  const { repository, token } = world.place
  Object.assign(process.env, {
    SITE_URL: BASE_URL,
    CONTENT_DIR: join(clone, 'content'),
    GITHUB_REPOSITORY: repository,
    GITHUB_TOKEN: token,
    GITHUB_API_URL: standIn.url,
    LAMBDA_TASK_ROOT: dir,
  })
  const config = readConfig(process.env)
  await writeData(config, { siteDir: places.dist, indexPath: indexOf(places) })
  const source = await readBuildSource(config.contentDir, process.env)
  writeBuildRecord(builtFile(places), { built_at: new Date().toISOString(), source })

  const [files, app] = [folderFiles(places.dist), createHubApp()]
  const server = createServer(
    getRequestListener(
      async (request) => (await findFile(request, files)) ?? app.fetch(request, { client: '192.0.2.1' }),
    ),
  )
  const base = await listen(server)
  ends.push(() => server.close())
  for (const [path, status] of ADDRESSES) {
    const answer = await fetch(base + path)
    expect([path, answer.status, (await answer.text()).includes(SECRET)]).toEqual([path, status, false])
  }
  for (const [name, given] of CALLS) {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }
    const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }
    const answer = await fetch(`${base}/mcp`, { method: 'POST', headers, body: JSON.stringify(body) })
    expect([given, answer.status, (await answer.text()).includes(SECRET)]).toEqual([given, 200, false])
  }
})
