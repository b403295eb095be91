// Sends requests to a deployed hub, through its proxy or CDN.
import * as z from 'zod'

const Problem = z.object({ error: z.object({ code: z.string(), message: z.string() }) })

/** What the hub answered. */
export interface HubAnswer {
  status: number
  headers: Headers
  text: string
}

/** A deployed hub. */
export interface DeployedHub {
  /** Its public address, without a final slash. */
  url: string
  now: () => Date
  /** Asks for a path; redirects are not followed. @throws Error when there is no answer */
  ask: (path: string, request?: RequestInit) => Promise<HubAnswer>
}

const CALL_MS = 15_000

/** Opens a hub by its address, without a final slash; nothing is asked yet. */
export function openDeployedHub(url: string, now: () => Date): DeployedHub {
  return {
    url,
    now,
    async ask(path, request = {}) {
      const headers = new Headers(request.headers)
      headers.set('User-Agent', 'prompt-hub-doctor')
      const sent = { ...request, headers, redirect: 'manual', signal: AbortSignal.timeout(CALL_MS) } as const
      const answer = await fetch(url + path, sent)
      return { status: answer.status, headers: answer.headers, text: await answer.text() }
    },
  }
}

/** The JSON of an answer; undefined when it is none, or is not sent as JSON. */
export function jsonOf({ headers, text }: HubAnswer): unknown {
  if (!/^application\/(?:[\w.+-]+\+)?json\b/.test(headers.get('Content-Type') ?? '')) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The hub's own error, or undefined where somebody else answered. */
export const problemOf = (answer: HubAnswer) => Problem.safeParse(jsonOf(answer)).data?.error

/** What the hub itself says of a failure, to be put behind a status. */
export const sentenceOf = (answer: HubAnswer) => `: ${problemOf(answer)?.message ?? 'not the hub’s own answer'}`
