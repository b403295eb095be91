// What the operator's commands share: the hub's store, and tables on standard output.

import { readConfig } from '../src/config.ts'
import { openNetwork } from '../src/hosts/node/network.ts'
import { openState } from '../src/hosts/node/open-state.ts'
import { setLog } from '../src/log.ts'
import type { StateStore } from '../src/state/state-store.ts'

/** Opens the store of this machine's hub for some work. */
export async function inStore(work: (state: StateStore) => Promise<void>): Promise<void> {
  const config = readConfig(process.env)
  setLog(config.logging)
  openNetwork(config)
  const state = await openState(config)
  try {
    await work(state)
  } finally {
    await state.close()
  }
}

/** Prints rows in columns; the first row is their head. */
export function printTable(rows: readonly (readonly string[])[]): void {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  for (const row of rows)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
}
