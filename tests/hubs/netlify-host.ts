// Simulates a Netlify deploy in a separate process. It serves files from dist/ first, then calls the functions, which
// receive only a URL. Fresh copies are stored on a blob server.
import { createServer } from 'node:http'
import { join } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { BlobsServer } from '@netlify/blobs/server'
import { folderFiles } from '../../src/built/site-files-folder.ts'
import { createHubApp } from '../../src/hub/hub-app.ts'
import { respondRateLimited } from '../../src/server/refusals.ts'
import { findFile } from '../../src/server/static-files.ts'
import { netlifyState } from '../../src/state/state-netlify.ts'
import { createToken } from '../../src/state/tokens.ts'

/**
 * The arguments: the folder with `dist` and `build`, which is also LAMBDA_TASK_ROOT; a folder for the state; and the
 * owner for whom a token is created.
 */
const [dir = '', blobsDir = '', owner = ''] = process.argv.slice(2)
const token = 'of-this-test'
const state = new BlobsServer({ directory: blobsDir, token, logger: () => {} })
const { port } = await state.start()
const access = {
  edgeURL: `http://localhost:${port}`,
  uncachedEdgeURL: `http://localhost:${port}`,
  siteID: 'local',
  token,
}
process.env.NETLIFY_BLOBS_CONTEXT = Buffer.from(JSON.stringify(access)).toString('base64')

const { token: publishing } = await createToken(
  netlifyState(),
  { holder: { kind: 'operator' }, name: 'test', scope: `${owner}/*`, days: 1 },
  new Date(),
)
console.log(`Token: ${publishing}`)
const files = folderFiles(join(dir, 'dist'))
const app = createHubApp()
const listener = getRequestListener(async (request) => {
  const { pathname } = new URL(request.url)
  const file = request.method === 'GET' ? await findFile(request, files) : undefined
  if (file) return file
  return pathname === '/rate-limited' ? respondRateLimited(request) : app.fetch(request, { ip: '192.0.2.1' })
})
createServer(listener).listen(Number(process.env.PORT), '127.0.0.1')
