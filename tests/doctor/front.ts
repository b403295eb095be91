// A proxy in front of a hub. It injects faults on request.
import { createServer, type IncomingHttpHeaders, request } from 'node:http'

/** A request on its way to the hub. Any changes to it are forwarded. */
interface Passing {
  method: string
  path: string
  headers: IncomingHttpHeaders
}

/** A response on its way back to the client. */
export interface Returning {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

/** A fault that the proxy injects. */
export interface Fault {
  before?: (passing: Passing) => void
  after?: (returning: Returning, passing: Passing) => void
}

export type Front = Awaited<ReturnType<typeof startFront>>

/** Starts a proxy in front of a hub. @param hub the port of the hub @param from the address that its requests come from */
export async function startFront(port: number, hub: number, from?: string) {
  const way = from === undefined ? { host: 'localhost' } : { host: '127.0.0.1', localAddress: from }
  let fault: Fault = {}
  const server = createServer((incoming, outgoing) => {
    const passing = { method: incoming.method ?? 'GET', path: incoming.url ?? '/', headers: { ...incoming.headers } }
    fault.before?.(passing)
    const { method, path, headers } = passing
    const asked = request({ ...way, port: hub, method, path, headers, agent: false }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () => {
        const body = Buffer.concat(chunks)
        const returning: Returning = { status: answer.statusCode ?? 0, headers: { ...answer.headers }, body }
        fault.after?.(returning, passing)
        for (const name of ['connection', 'keep-alive', 'transfer-encoding', 'content-length'])
          delete returning.headers[name]
        for (const [name, value] of Object.entries(returning.headers))
          if (value !== undefined) outgoing.setHeader(name, value)
        outgoing.writeHead(returning.status).end(returning.body)
      })
    })
    asked.on('error', () => outgoing.destroy())
    incoming.pipe(asked)
  })
  await new Promise<void>((listening) => server.listen(port, 'localhost', listening))
  return {
    /** Injects this fault into all further requests; without an argument, removes the fault. */
    spoil(next: Fault = {}) {
      fault = next
    },
    close: () =>
      new Promise<void>((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}
