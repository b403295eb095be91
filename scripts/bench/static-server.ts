// A bare static server as a separate process: the baseline for all measurements over HTTP. Usage: static-server.ts DIR PORT
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'

const [dir = '', port = ''] = process.argv.slice(2)
const kept = new Map<string, Buffer>()

createServer(async (request, response) => {
  const path = request.url ?? '/'
  try {
    const bytes = kept.get(path) ?? (await readFile(join(dir, path)))
    kept.set(path, bytes)
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': bytes.length }).end(bytes)
  } catch {
    response.writeHead(404).end()
  }
}).listen(Number(port), '127.0.0.1')
