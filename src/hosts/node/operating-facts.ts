// Finds out what an operator must hear of before it hurts: lost tokens, a wrong clock, a credential that expires, and old backups.
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { HostFacts } from '../../github/github-connection.ts'
import { listKeys, type OpenStateStore } from '../../state/state-entries.ts'
import { TOKENS } from '../../state/tokens.ts'

/** Touched by every complete backup. */
export const BACKUP_MARK = '.hub/last-backup'
/** How long the facts count, because reading them lists every token. */
const KEPT_MS = 60_000

/** What is known; what is not is left out. */
export interface OperatingFacts {
  tokens?: number
  /** Seconds by which this machine's clock is ahead, by the clock that it was compared with. */
  skew: Readonly<Record<string, number>>
  backupAgeSeconds?: number
  credentialExpiresSeconds?: number
}

/** Opens the facts, which are read when somebody asks. @param hostFacts those of the git host, if there is one */
export function openFacts(
  state: Pick<OpenStateStore, 'list' | 'readClock'>,
  hostFacts: () => HostFacts = () => ({}),
): () => Promise<OperatingFacts> {
  let known: { untilMs: number; facts: Promise<OperatingFacts> } | undefined
  return () => {
    const now = performance.now()
    if (!known || now > known.untilMs) known = { untilMs: now + KEPT_MS, facts: readFacts(state, hostFacts()) }
    return known.facts
  }
}

async function readFacts(
  state: Pick<OpenStateStore, 'list' | 'readClock'>,
  { timeMs, credentialExpiresMs }: HostFacts,
): Promise<OperatingFacts> {
  const began = Date.now()
  // A state that does not respond is another alarm.
  const [database, tokens, backup] = await Promise.all([
    state
      .readClock?.()
      .then((ms) => (began + Date.now()) / 2 - ms)
      .catch(() => undefined),
    Array.fromAsync(listKeys(state, TOKENS))
      .then((keys) => keys.length)
      .catch(() => undefined),
    stat(resolve(BACKUP_MARK)).then(
      ({ mtimeMs }) => mtimeMs,
      () => undefined,
    ),
  ])
  return {
    skew: {
      ...(database !== undefined && { database: database / 1000 }),
      ...(timeMs !== undefined && { git: (began - timeMs) / 1000 }),
    },
    ...(tokens !== undefined && { tokens }),
    ...(backup !== undefined && { backupAgeSeconds: (began - backup) / 1000 }),
    ...(credentialExpiresMs !== undefined && { credentialExpiresSeconds: (credentialExpiresMs - began) / 1000 }),
  }
}
