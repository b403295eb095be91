// Checks that the Netlify driver passes the contract tests on the server that `netlify dev` starts.
import { BlobsServer } from '@netlify/blobs/server'
import { expect, test } from 'vitest'
import { openBlobsState } from '../../../src/state/state-netlify.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { stateStoreContract } from './state-store-contract.ts'

async function startServer() {
  const directory = temporaryFolder('hub-blobs-')
  const server = new BlobsServer({ directory, token: 'of-this-test', logger: () => {} })
  const { port } = await server.start()
  return {
    access: { edgeURL: `http://localhost:${port}`, siteID: 'local', token: 'of-this-test' },
    async stop() {
      await server.stop()
    },
  }
}

stateStoreContract('Netlify Blobs', async () => {
  const { access, stop } = await startServer()
  return {
    open: async (now) => ({ ...openBlobsState(access, now), close: async () => {} }),
    close: stop,
    // In measurements, up to 20 of 20 simultaneous conditional writes won on this server, and Netlify guarantees
    // nothing (docs/notes/netlify.md section 8).
    hasOneWinner: false,
    // Netlify's library follows the pages, and this server has none.
    manyKeys: 50,
  }
})

test('returns unavailable with a retry time when the server is down', async () => {
  const { access, stop } = await startServer()
  const state = openBlobsState(access)
  await state.set('a', '1')
  await stop()
  await expect(state.get('a')).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 })
  await expect(state.add('b', '1')).rejects.toMatchObject({ code: 'unavailable' })
})
