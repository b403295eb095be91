// Owns the blob store of our own host: the file-backed server that Netlify Blobs brings, over a folder of this machine.
import { hash, randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { BlobsServer } from '@netlify/blobs/server'
import type { BlobStore } from '../ports/blob-store.ts'
import { blobsOver } from './blob-store-netlify.ts'

/** A blob store in a folder of this machine. */
interface LocalBlobs {
  blobs: BlobStore
  close(): Promise<void>
}

/** Starts the store's own server on a free loopback port, over a folder that is made when it is missing. */
export async function startLocalBlobs(directory: string): Promise<LocalBlobs> {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const token = randomBytes(32).toString('hex')
  const server = new BlobsServer({ directory, token, logger: () => {} })
  const { port } = await server.start()
  // Not `apiURL`: over that, the local server lists nothing when a prefix is given (11.1.1).
  const blobs = blobsOver({ edgeURL: `http://localhost:${port}`, siteID: 'local', token })
  return {
    blobs: {
      ...blobs,
      // Of 20 such writes at once the server lets several win (11.1.1). Making a file lets one win, also among processes.
      add: async (key, text) => {
        if (!(await claim(join(directory, 'claimed', hash('sha256', key))))) return false
        await blobs.set(key, text)
        return true
      },
    },
    close: async () => {
      await server.stop()
    },
  }
}

/** Makes an empty file that was not there. @returns false when it was */
async function claim(path: string): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  try {
    await writeFile(path, '', { flag: 'wx' })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}
