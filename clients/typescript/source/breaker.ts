// Remembers that a hub failed, so that callers with a cached copy or a fallback do not wait for it again.
import type { PromptHubError } from './trouble.ts'

/** How long a hub that failed is not asked for what a copy or a fallback can answer. */
const PAUSE_MS = 10_000
/** Maximum number of failing URLs that are remembered; beyond that, the oldest is forgotten. */
const MAX_FAILURES = 1_000
/** The key of failures of the hub as a whole. */
const HUB = ''

/** The failures of one hub. A response with 500 concerns its URL; no response, or one that only says that the hub cannot be reached, concerns the hub. */
export class Breaker {
  readonly #failures = new Map<string, { at: number; error: PromptHubError }>()
  /** When the hub last responded. */
  #respondedAt = Number.NEGATIVE_INFINITY
  readonly #now: () => number
  readonly #onPause: (url: string, forMs: number, error: PromptHubError) => void

  /** @param onPause called when a pause begins, not when it is prolonged */
  constructor(now: () => number, onPause: (url: string, forMs: number, error: PromptHubError) => void) {
    this.#now = now
    this.#onPause = onPause
  }

  /** Why a URL failed the last time that it was asked; undefined if it responded. */
  failureOf(url: string): PromptHubError | undefined {
    return this.#find(url)?.error
  }

  /** Why a URL is not asked now; undefined if it is. */
  pauseOf(url: string): PromptHubError | undefined {
    const failure = this.#find(url)
    if (!failure) return undefined
    const elapsedMs = this.#now() - failure.at
    // After a clock was set back, the pause is over.
    return elapsedMs >= 0 && elapsedMs < PAUSE_MS ? failure.error : undefined
  }

  /** Notes that a URL is asked after a failure: until it responds, the others are paused. */
  startTry(url: string): void {
    const failure = this.#find(url)
    if (failure) failure.at = this.#now()
  }

  /** Notes that a URL responded. */
  succeed(url: string): void {
    this.#respondedAt = this.#now()
    this.#failures.delete(HUB)
    this.#failures.delete(url)
  }

  /** Notes that a URL failed. @param askedAt when it was asked: if the hub has responded since, it is not down */
  fail(url: string, error: PromptHubError, askedAt: number): void {
    if (askedAt < this.#respondedAt && this.#respondedAt <= this.#now()) return
    const isNew = this.pauseOf(url) === undefined
    const isOfHub = error.status === undefined || error.status < 500 || [502, 503, 504].includes(error.status)
    this.#failures.set(isOfHub ? HUB : url, { at: this.#now(), error })
    if (this.#failures.size > MAX_FAILURES) this.#failures.delete(this.#failures.keys().next().value!)
    if (isNew) this.#onPause(url, PAUSE_MS, error)
  }

  #find(url: string) {
    return this.#failures.get(HUB) ?? this.#failures.get(url)
  }
}
