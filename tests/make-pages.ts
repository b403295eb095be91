// Runs before the tests that start hubs: bundles the pages and compiles the client library, unless they already are. Each
// hub would do so itself, and many at once.
import { execFileSync } from 'node:child_process'

/** @throws Error if the pages cannot be bundled */
export function setup(): void {
  execFileSync(process.execPath, ['scripts/bundle.ts'])
}
