// What the operator's commands share: the hub's store, and tables on standard output.

import { openState } from '../packages/node-server/open-state.ts'
import { readConfig } from '../src/config.ts'
import type { StateStore } from '../src/ports/state-store.ts'

/** Opens the store of this machine's hub for some work. */
export async function inStore(work: (state: StateStore) => Promise<void>): Promise<void> {
  const state = await openState(readConfig(process.env))
  try {
    await work(state)
  } finally {
    await state.close()
  }
}

/** Prints rows in columns. */
export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const table = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)))
  for (const row of table)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
}
