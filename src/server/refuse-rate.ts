// Owns what is said to whoever asks too often, whatever for.
import { HubError } from '../domain/api/errors.ts'

/** What there was too much of, and what helps beside waiting. */
const SENTENCES = {
  requests: (wait: string) =>
    `Too many requests from this address. Try again in ${wait}, and keep answers as Cache-Control allows.`,
  publishes: (wait: string) => `Too many publishes in your name. Try again in ${wait}.`,
  badTokens: (wait: string) =>
    `Too many tokens from this address were no good. Check the token, and try again in ${wait}.`,
  toolCalls: (wait: string) => `Too many tool calls from this address. Try again in ${wait}.`,
  messages: (wait: string) => `Too many messages from this address. Try again in ${wait}.`,
} as const

/** The sentence alone, for protocols with errors of their own. */
export function sayTooMany(what: keyof typeof SENTENCES, waitSeconds: number): string {
  return SENTENCES[what](`${waitSeconds} s`)
}

/** The error of a client that asks too often. */
export function refuseRate(what: keyof typeof SENTENCES, waitSeconds: number): HubError {
  return new HubError('rate_limited', sayTooMany(what, waitSeconds), { retryAfterSeconds: waitSeconds })
}
