// A separate server process whose requests throw uncaught errors: `/KIND` throws in that kind of thread, timer or
// callback. Usage: throwing-server.ts [early]
import { EventEmitter } from 'node:events'
import { readFile } from 'node:fs'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { Worker } from 'node:worker_threads'
import { startServer } from '../../src/hosts/node/http/http-server.ts'
import { logUncaughtErrors } from '../../src/hosts/node/http/uncaught-errors.ts'

const fail = (kind: string) => {
  throw new Error(`thrown in ${kind}`)
}
const port = Number(process.env.PORT)

const KINDS: Readonly<Record<string, () => unknown>> = {
  answer: () => fail('answer'),
  rejection: () => void Promise.reject(new Error('thrown in rejection')),
  'promise-callback': () => void Promise.resolve().then(() => fail('promise-callback')),
  microtask: () => queueMicrotask(() => fail('microtask')),
  'next-tick': () => process.nextTick(() => fail('next-tick')),
  timeout: () => setTimeout(() => fail('timeout'), 1),
  interval: () => {
    const timer = setInterval(() => {
      clearInterval(timer)
      fail('interval')
    }, 1)
  },
  immediate: () => setImmediate(() => fail('immediate')),
  'abort-listener': () => AbortSignal.timeout(1).addEventListener('abort', () => fail('abort-listener')),
  'error-event': () => setImmediate(() => new EventEmitter().emit('error', new Error('thrown in error-event'))),
  stream: () => Readable.from(['x']).on('data', () => fail('stream')),
  'file-callback': () => readFile('/nothing', () => fail('file-callback')),
  'socket-callback': () => connect(port, '127.0.0.1', () => fail('socket-callback')),
  thread: () => new Worker(`throw new Error('thrown in thread')`, { eval: true }),
  'thread-timer': () =>
    new Worker(`setTimeout(() => { throw new Error('thrown in thread-timer') }, 1)`, { eval: true }),
  'thread-memory': () =>
    new Worker(`const all = []; for (;;) all.push(new Array(1000).fill({}))`, {
      eval: true,
      resourceLimits: { maxOldGenerationSizeMb: 4 },
    }),
  'thread-message': () =>
    new Worker(`require('node:worker_threads').parentPort.postMessage(1)`, { eval: true }).on('message', () =>
      fail('thread-message'),
    ),
  textless: () =>
    process.nextTick(() => {
      throw Object.create(null)
    }),
}

if (process.argv.includes('early')) setTimeout(() => fail('the start'), 1)
else {
  await startServer(async ({ url }) => {
    KINDS[new URL(url).pathname.slice(1)]?.()
    return new Response('answered')
  }, port)
  logUncaughtErrors()
}
