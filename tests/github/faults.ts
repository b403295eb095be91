// Injects GitHub faults (lost, replaced, late or stale responses) and counts all calls.
import { z } from 'zod'
import type { Handler } from './facade.ts'

/** A call, exactly as received. */
interface Call {
  kind: 'query' | 'mutation' | 'rest'
  /** The operation's name (`Folder`, `Blob`, `Commit`), or the method and path: `GET /repos/a/b/git/blobs/…`. */
  name: string
  /** The GraphQL variables, or the query and form values of a REST call. */
  values: Readonly<Record<string, unknown>>
}

/**
 * The effect of a fault on a call. `applied`: whether the call is carried out before its response is lost or replaced.
 */
export type Fault =
  | { kind: 'cut'; applied: boolean }
  | { kind: 'answer'; applied: boolean; status: number; headers?: Record<string, string>; body: string }
  /** Repeats the first response to the same query, as a lagging replica would. */
  | { kind: 'old-answer' }
  /** Holds the call until the promise settles, before or after the call is carried out. */
  | { kind: 'hold'; applied: boolean; until: Promise<unknown> }

/** A rule that defines which calls a fault affects. */
export interface Rule {
  on: Call['kind'] | 'any'
  /** The number of calls to affect; 1 by default, `Infinity` for all. */
  times?: number
  /** An additional condition, such as an operation name or a random choice by the test. */
  when?: (call: Call) => boolean
  fault: Fault
}

/** The fault layer in front of a handler. */
export interface Faults {
  handle: Handler
  /** Adds rules. The first rule that matches a call applies, and is removed after `times` uses. */
  script(...rules: Rule[]): void
  /** Every call since the start or the last `forget`, in the order received. */
  calls: readonly Call[]
  /** Returns the number of calls, by kind. */
  counts(): { query: number; mutation: number; rest: number; all: number }
  /** Discards calls, rules and recorded responses. */
  forget(): void
}

const GraphqlBody = z.object({ query: z.string(), variables: z.record(z.string(), z.unknown()).optional() })
const JsonBody = z.record(z.string(), z.unknown()).catch({})
const json = { 'content-type': 'application/json; charset=utf-8' }
const html = { 'content-type': 'text/html' }

const answer = (applied: boolean, status: number, body: string, headers: Record<string, string> = json): Fault => ({
  kind: 'answer',
  applied,
  status,
  headers,
  body,
})
const answerErrors = (applied: boolean, errors: readonly object[], headers: Record<string, string> = {}): Fault =>
  answer(applied, 200, JSON.stringify({ data: null, errors }), { ...json, ...headers })

/** The faults, named as in docs/notes/github.md. */
export const FAULTS = {
  cut: (applied: boolean): Fault => ({ kind: 'cut', applied }),
  /** GitHub's own time limit of 10 seconds. */
  badGateway: (applied: boolean) => answer(applied, 502, '<html>502</html>', html),
  /** GitHub's "Something went wrong": status 200 and an error without a type. */
  untypedErrors: (applied: boolean) => answerErrors(applied, [{ message: 'Something went wrong.' }]),
  html: (applied: boolean) => answer(applied, 200, '<html>ok</html>', html),
  halfJson: (applied: boolean) => answer(applied, 200, '{"data":{"cre'),
  nothing: (applied: boolean) => answer(applied, 200, ''),
  nullBody: (applied: boolean) => answer(applied, 200, 'null'),
  /** A typed GraphQL error: `STALE_DATA` without a cause, `FORBIDDEN`, … The call is not carried out. */
  typed: (...types: string[]) =>
    answerErrors(
      false,
      types.map((type) => ({ type, message: 'No.' })),
    ),
  /** The primary rate limit. @param reset the reset time, in seconds since 1970 */
  rateLimited: (reset: number) =>
    answerErrors(false, [{ type: 'RATE_LIMITED', message: 'API rate limit exceeded.' }], {
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(reset),
    }),
  /** The secondary rate limit, over REST or GraphQL. */
  secondaryLimit(status: 200 | 403 | 429, retryAfter?: string) {
    const problem = { message: 'Slow down.' }
    const body = status === 200 ? { data: null, errors: [problem] } : problem
    const headers = { ...json, ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }) }
    return answer(false, status, JSON.stringify(body), headers)
  },
  badCredentials: () => answer(false, 401, '{"message":"Bad credentials"}'),
  oldAnswer: (): Fault => ({ kind: 'old-answer' }),
  hold: (until: Promise<unknown>, applied = false): Fault => ({ kind: 'hold', applied, until }),
} as const

/** Puts a fault layer in front of a handler. */
export function createFaults(next: Handler): Faults {
  let rules: (Rule & { left: number })[] = []
  const calls: Call[] = []
  const firstAnswers = new Map<string, Response>()

  const carryOut = async (request: Request, call: Call): Promise<Response | undefined> => {
    const answer = await next(request)
    const key = JSON.stringify(call)
    if (answer && call.kind === 'query' && !firstAnswers.has(key)) firstAnswers.set(key, answer.clone())
    return answer
  }
  const befall = async (fault: Fault, request: Request, call: Call): Promise<Response | undefined> => {
    if (fault.kind === 'old-answer')
      return firstAnswers.get(JSON.stringify(call))?.clone() ?? (await carryOut(request, call))
    if (fault.kind === 'hold' && !fault.applied) {
      await fault.until
      return await carryOut(request, call)
    }
    const answer = fault.applied ? await carryOut(request, call) : undefined
    if (fault.kind === 'answer') return new Response(fault.body, { status: fault.status, headers: fault.headers ?? {} })
    if (fault.kind === 'cut') return undefined
    await fault.until
    return answer
  }
  return {
    calls,
    async handle(request) {
      const call = await readCall(request)
      calls.push(call)
      const rule = rules.find(
        ({ on, when, left }) => left > 0 && (on === 'any' || on === call.kind) && (when?.(call) ?? true),
      )
      if (!rule) return await carryOut(request, call)
      rule.left -= 1
      return await befall(rule.fault, request, call)
    },
    script(...added) {
      rules.push(...added.map((rule) => ({ ...rule, left: rule.times ?? 1 })))
    },
    counts() {
      const count = (kind: Call['kind']) => calls.filter((call) => call.kind === kind).length
      return { query: count('query'), mutation: count('mutation'), rest: count('rest'), all: calls.length }
    },
    forget() {
      calls.length = 0
      rules = []
      firstAnswers.clear()
    },
  }
}

async function readCall(request: Request): Promise<Call> {
  const { pathname, searchParams } = new URL(request.url)
  const text = await request.clone().text()
  if (pathname === '/graphql') {
    const { query, variables = {} } = GraphqlBody.parse(JSON.parse(text))
    const [, kind, name = ''] = /^\s*(query|mutation)\s*(\w*)/.exec(query) ?? []
    return { kind: kind === 'mutation' ? 'mutation' : 'query', name, values: variables }
  }
  const isJson = request.headers.get('content-type')?.includes('json')
  const form = isJson ? JsonBody.parse(JSON.parse(text || '{}')) : Object.fromEntries(new URLSearchParams(text))
  return {
    kind: 'rest',
    name: `${request.method} ${pathname}`,
    values: { ...Object.fromEntries(searchParams), ...form },
  }
}
