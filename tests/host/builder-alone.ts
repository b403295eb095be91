// Runs the builder in a process that can be killed, and passes its messages on: `node builder-alone.ts DIR CONTENT_DIR`.
import { Worker } from 'node:worker_threads'
import { openOrderClock } from '../../src/state/fresh-copies.ts'

const [dir = '', contentDir = ''] = process.argv.slice(2)
const builder = new Worker(new URL('../../src/hosts/node/builds/builder-thread.ts', import.meta.url), {
  workerData: { dir, contentDir, lastOrder: openOrderClock().last },
})
builder.on('message', (message) => process.send?.(message))
process.once('disconnect', () => process.exit())
