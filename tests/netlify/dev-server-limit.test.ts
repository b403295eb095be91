// Tests that the rate limit holds on the Netlify dev server, which handles each request in a worker of its own.
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'

const CODE = `
  import { parentPort, workerData } from 'node:worker_threads'
  const { limiterOf } = await import(workerData)
  const limiter = await limiterOf('read', 2, { isNetlifyDev: true })
  parentPort.postMessage(await limiter.take('192.0.2.1'))
`

test('requests in different workers count together', async () => {
  const waits: number[] = []
  for (let count = 0; count < 3; count++) {
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(CODE)}`), {
      workerData: pathToFileURL('src/hub/open-hub.ts').href,
    })
    waits.push(await new Promise((done, fail) => worker.once('message', done).once('error', fail)))
    await worker.terminate()
  }
  expect(waits.slice(0, 2)).toEqual([0, 0])
  expect(waits[2]).toBeGreaterThan(0)
})
