// Checks regularly whether the state store can be read and written, so that a problem is known before somebody signs in.
import { logInfo, logProblem } from '../../log.ts'
import { describeStateProblem, type OpenStateStore } from '../../state/state-entries.ts'

const CHECK_MS = 10_000
/** How long a successful check counts, so that frequent requests cause few writes. */
const KEPT_MS = 5_000

/** What is known about the state store. */
export interface StateHealth {
  kind: 'file' | 'database'
  /** What does not work, with the file or setting and the fix; null if the last check succeeded. */
  problem: string | null
}

/** A watched state store. */
export type StateWatch = ReturnType<typeof watchState>

/** Starts to check the store. A problem is logged once when it begins. */
export function watchState(state: Pick<OpenStateStore, 'check'>, kind: StateHealth['kind']) {
  let problem: string | null = null
  let goodUntil = 0
  /** Checks the store, unless it was found to work a few seconds ago. @throws HubError `unavailable` */
  const check = async () => {
    if (performance.now() < goodUntil) return
    try {
      await state.check()
      if (problem !== null) logInfo('state_works', 'The store for tokens and sessions responds again.')
      problem = null
      goodUntil = performance.now() + KEPT_MS
    } catch (cause) {
      const found = describeStateProblem(cause)
      if (found !== problem)
        logProblem('error', 'state_down', 'The store for tokens and sessions does not work.', { problem: found, cause })
      problem = found
      throw cause
    }
  }
  // A failed check is already logged.
  const checkAgain = () => {
    check().catch(() => {})
  }
  const timer = setInterval(checkAgain, CHECK_MS).unref()
  checkAgain()
  return {
    check,
    /** Returns the result of the last check. */
    health: (): StateHealth => ({ kind, problem }),
    stop: () => clearInterval(timer),
  }
}
