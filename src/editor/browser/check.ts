// Checks what the form would publish whenever its author pauses: with the API, by the rules of publishing.
import type { CheckAnswer } from '../../catalogue/published/route-schemas.ts'
import { isName } from '../../domain/values/names.ts'
import { NO_ANSWER, type Outcome, send } from './api.ts'

/** Delay between the last keystroke and the check. */
const PAUSE_MS = 500
/** Stands in for a name that is missing or wrong, so that the rest can be checked. No prompt has it. */
const NAMELESS = 'without-a-name-yet'

/** What a form asks the API to publish. */
export interface Wanted {
  owner: string
  name: string
  body: Readonly<Record<string, unknown>>
}

/** The checks of a form. */
export interface Checks {
  /** Checks after a pause. What an earlier check answers no longer counts. */
  later(): void
  /** Checks now. @returns undefined if the form changed meanwhile */
  now(): Promise<Outcome<CheckAnswer> | undefined>
}

function check({ owner, name, body }: Wanted, signal: AbortSignal): Promise<Outcome<CheckAnswer>> {
  return send('POST', `/api/v1/repos/${owner}/${isName(name) ? name : NAMELESS}/check`, body, {}, signal)
}

/** Opens the checks. @param read reads the form; it may wait for files @param show is called with each answer that still counts */
export function openChecks(
  read: () => Promise<Wanted>,
  show: (outcome: Outcome<CheckAnswer>) => Promise<unknown>,
): Checks {
  let pausing: number | undefined
  let running: AbortController | undefined
  const now = async () => {
    clearTimeout(pausing)
    running?.abort()
    const mine = new AbortController()
    running = mine
    const wanted = await read().catch(() => undefined)
    const outcome = wanted ? await check(wanted, mine.signal) : { refusal: NO_ANSWER }
    if (mine.signal.aborted) return undefined
    await show(outcome)
    const { status = 200, waitSeconds = 0 } = outcome.refusal ?? {}
    if (status === 429) pausing = window.setTimeout(() => now().catch(reportError), Math.max(1, waitSeconds) * 1_000)
    return outcome
  }
  const later = () => {
    clearTimeout(pausing)
    running?.abort()
    pausing = window.setTimeout(() => now().catch(reportError), PAUSE_MS)
  }
  addEventListener('online', later)
  return { later, now }
}
