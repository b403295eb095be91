// Keeps the blobs of our own host in a folder of this machine, with the file-backed server that Netlify Blobs brings.
import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { BlobsServer } from '@netlify/blobs/server'
import type { BlobStore } from '../../ports/blob-store.ts'
import { inTurn } from '../git/git-turn.ts'
import { blobsOver } from './blob-store-netlify.ts'

/** A blob store in a folder of this machine. */
interface LocalBlobs {
  blobs: BlobStore
  close(): Promise<void>
}

/** Starts the store's own server on a free loopback port, over a folder that is made when it is missing. */
export async function startLocalBlobs(directory: string): Promise<LocalBlobs> {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  // Here earlier versions noted what was added, one file each, and removed none.
  rmSync(join(directory, 'claimed'), { recursive: true, force: true })
  const token = randomBytes(32).toString('hex')
  const server = new BlobsServer({ directory, token, logger: () => {} })
  const { port } = await server.start()
  // Not `apiURL`: over that, the local server lists nothing when a prefix is given (11.1.1).
  const blobs = blobsOver({ edgeURL: `http://localhost:${port}`, siteID: 'local', token })
  return {
    blobs: {
      ...blobs,
      // Of 20 such writes at once the server lets several win (11.1.1). A lock lets one win, also among processes; when its write fails, nothing is left, so it may come again.
      add: (key, text) =>
        inTurn(join(directory, 'add-turn'), async () => {
          if ((await blobs.get(key)) !== undefined) return false
          await blobs.set(key, text)
          return true
        }),
    },
    close: async () => {
      await server.stop()
    },
  }
}
