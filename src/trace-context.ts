// Reads and writes the headers of W3C Trace Context, by which the request of a client, the log and the calls of the hub form one trace. https://www.w3.org/TR/trace-context/
import { randomBytes } from 'node:crypto'

/** The place of a request in a trace. */
export interface Trace {
  trace_id: string
  /** The hub's own part of the trace. */
  span_id: string
  flags: string
  /** What the systems before the hub wrote for themselves; passed on unread. */
  state?: string | undefined
}

/** A later version may add fields at the end. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(-.*)?$/
/** The longest header that is read, and the longest that systems must pass on. */
const MAX_CHARACTERS = 512

/** Joins the trace of a request. @returns undefined without a valid `traceparent`, so that only traced requests take part */
export function joinTrace(traceparent: unknown, tracestate: unknown): Trace | undefined {
  if (typeof traceparent !== 'string' || traceparent.length > MAX_CHARACTERS) return undefined
  const [, version, trace_id, flags, more] = TRACEPARENT.exec(traceparent) ?? []
  if (trace_id === undefined || flags === undefined || (version === '00' && more !== undefined)) return undefined
  const hasState = typeof tracestate === 'string' && /^[\x20-\x7e]{1,512}$/.test(tracestate)
  return { trace_id, span_id: randomBytes(8).toString('hex'), flags, state: hasState ? tracestate : undefined }
}

/** Returns the `traceparent` of a call that the hub makes. */
export function traceparentOf({ trace_id, span_id, flags }: Trace): string {
  return `00-${trace_id}-${span_id}-${flags}`
}

/** Returns the headers of a call that the hub makes. */
export function traceHeaders(trace: Trace): Record<string, string> {
  return { traceparent: traceparentOf(trace), ...(trace.state !== undefined && { tracestate: trace.state }) }
}
