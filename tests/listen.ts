// Starts and stops small servers of tests on this machine.
import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import type { AddressInfo, Server } from 'node:net'

/** Lets a server listen on a port, by default a free one. @returns its address, such as `http://127.0.0.1:1234` */
export async function listen(server: Server, port = 0): Promise<string> {
  await once(server.listen(port, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Stops a server, and ends its connections. */
export async function stop(server: HttpServer): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}
