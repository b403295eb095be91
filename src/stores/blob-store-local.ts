// Owns the blob store of our own host: the file-backed server that Netlify Blobs brings, over a folder of this machine.
import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { BlobsServer } from '@netlify/blobs/server'
import type { BlobStore } from '../ports/blob-store.ts'
import { blobsOver } from './blob-store-netlify.ts'

/** A blob store in a folder of this machine. */
export interface LocalBlobs {
  blobs: BlobStore
  close(): Promise<void>
}

/** Starts the store's own server on a free loopback port, over a folder that is made when it is missing. */
export async function startLocalBlobs(directory: string): Promise<LocalBlobs> {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const token = randomBytes(32).toString('hex')
  const server = new BlobsServer({ directory, token, logger: () => {} })
  const { port } = await server.start()
  return {
    // Not `apiURL`: over that, the local server lists nothing when a prefix is given (11.1.1).
    blobs: blobsOver({ edgeURL: `http://localhost:${port}`, siteID: 'local', token }),
    close: async () => {
      await server.stop()
    },
  }
}
