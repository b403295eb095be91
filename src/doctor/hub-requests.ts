// Sends requests to a deployed hub, through its proxy or CDN.
import * as z from 'zod'

const Problem = z.object({ error: z.object({ code: z.string(), message: z.string() }) })

/** The hub's response. */
export interface HubResponse {
  status: number
  headers: Headers
  bytes: Uint8Array
  /** The bytes as UTF-8. */
  text: string
}

/** A deployed hub. */
export interface DeployedHub {
  /** The hub's public URL, without a trailing slash. */
  url: string
  /** Requests a path without following redirects. @throws Error if there is no response */
  ask: (path: string, request?: RequestInit) => Promise<HubResponse>
  /** Does the same without a token. */
  askAsStranger: (path: string, request?: RequestInit) => Promise<HubResponse>
}

const CALL_MS = 15_000

/** Creates a client for the hub at a URL, which must not end with a slash. Sends no request yet. @param token for a hub that only readers may read */
export function openDeployedHub(url: string, token?: string): DeployedHub {
  const send = async (path: string, request: RequestInit, headers: Headers) => {
    headers.set('User-Agent', 'prompt-hub-doctor')
    const sent = { ...request, headers, redirect: 'manual', signal: AbortSignal.timeout(CALL_MS) } as const
    const answer = await fetch(url + path, sent)
    const bytes = new Uint8Array(await answer.arrayBuffer())
    return { status: answer.status, headers: answer.headers, bytes, text: new TextDecoder().decode(bytes) }
  }
  return {
    url,
    ask(path, request = {}) {
      const headers = new Headers(request.headers)
      if (token && !headers.has('Authorization')) headers.set('Authorization', `Bearer ${token}`)
      return send(path, request, headers)
    },
    askAsStranger: (path, request = {}) => send(path, request, new Headers(request.headers)),
  }
}

/** Parses a response as JSON. @returns undefined if the response is not JSON or does not have a JSON media type */
export function jsonOf({ headers, text }: HubResponse): unknown {
  if (!/^application\/(?:[\w.+-]+\+)?json\b/.test(headers.get('Content-Type') ?? '')) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the hub's own error, or undefined if something else responded. */
export const readError = (answer: HubResponse) => Problem.safeParse(jsonOf(answer)).data?.error

/** Returns the hub's description of a failure, to append to a status. */
export const describeAnswer = (answer: HubResponse) => `: ${readError(answer)?.message ?? 'not the hub’s own response'}`
