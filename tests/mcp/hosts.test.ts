// Runs the official clients against every way of serving the hub: npm start, a built site as it is, and the bundle under the Netlify dev server.
import { afterAll, beforeAll, describe } from 'vitest'
import { poll } from '../e2e/client.ts'
import { npmTarget, type Server } from '../e2e/targets.ts'
import { testClients } from './clients.ts'
import { post } from './open-hub.ts'
import { serveBuilt } from './serve-built.ts'

const SETTINGS = { contentDir: 'content', limit: 120 }

describe.each([
  ['npm start', () => npmTarget('start').start(SETTINGS)],
  ['npm run serve', () => serveBuilt('content')],
  ['npm run preview', () => npmTarget('preview').start(SETTINGS)],
] as const)('%s', (_, start) => {
  let server: Server
  beforeAll(async () => {
    server = await start()
    // The dev server loads one function after the other.
    await poll('/mcp answers', 30_000, async () => {
      const ping = post({ jsonrpc: '2.0', id: 1, method: 'ping' }, {}, `${server.base}/mcp`)
      return (await fetch(ping)).status === 200 || undefined
    })
  }, 150_000)
  afterAll(() => server?.stop(), 30_000)
  testClients(() => `${server.base}/mcp`)
})
