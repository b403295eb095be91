// Makes the calls of the fake GitHub server take as long as on github.com.
import { setTimeout as sleep } from 'node:timers/promises'
import type { GitHubStandIn } from './stand-in.ts'

/** How long calls take on github.com, in milliseconds. docs/notes/github.md section 5 */
const CALL_MS = { query: 400, mutation: 1_900 } as const

/** Delays each call until the rules are forgotten. @param factor how much faster than github.com */
export function delayCalls(standIn: Pick<GitHubStandIn, 'script'>, factor: number): void {
  for (const on of ['query', 'mutation'] as const)
    standIn.script({
      on,
      times: Infinity,
      fault: {
        kind: 'hold',
        applied: false,
        get until() {
          return sleep(CALL_MS[on] / factor)
        },
      },
    })
}
