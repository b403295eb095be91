// Gives each request an ID, and each response the headers with this ID and the version of the hub.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { VERSION } from '../../../src/ports/version.ts'

/** Returns the request ID: the client's if it is well-formed, otherwise a new one. */
export function nameRequest(given: string): string {
  return /^[A-Za-z0-9._-]{8,64}$/.test(given) ? given : randomUUID()
}

/** Returns the headers that every response has. */
export function headersOfRequest(id: string): Record<string, string> {
  return { 'X-Request-Id': id, 'X-Prompt-Hub-Version': VERSION }
}

/** Sets the headers that every response has. @returns the request ID */
export function identifyRequest({ headers }: IncomingMessage, outgoing: ServerResponse): string {
  const id = nameRequest(String(headers['x-request-id'] ?? ''))
  for (const [name, value] of Object.entries(headersOfRequest(id))) outgoing.setHeader(name, value)
  return id
}
