// The metrics that describe what the hub knows about itself: its version, what it serves, and what does not work.
import { Gauge, type Registry } from 'prom-client'
import type { QueueState } from '../../concurrency/turns.ts'
import type { Health } from './health.ts'
import type { OperatingFacts } from './operating-facts.ts'
import { PARTS, type Unready } from './readiness.ts'

/** Where the metrics come from, when they are read. */
export interface StatusSources {
  healthOf: () => Health
  /** Checks every part of the hub. */
  checkAll: () => Promise<readonly Unready[]>
  /** Returns how full the queue of publishes is. */
  queueOf: () => QueueState
  /** Returns what an operator must hear of before it hurts. */
  factsOf?: (() => Promise<OperatingFacts>) | undefined
}

/** Adds the metrics to a registry. @param about the version and the commit of the code */
export function openStatusMetrics(registry: Registry, about: { version: string; commit: string }) {
  const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge<Label>({ name, help, labelNames, registers: [registry] })
  gauge('prompt_hub_info', 'The version and the commit of the code.', 'version', 'commit').set(about, 1)
  const build = gauge('hub_build_duration_seconds', 'Duration of the last update, from reading to serving.')
  const served = gauge('hub_served', 'What is served.', 'what')
  const ready = gauge('hub_ready', 'Whether a part of the hub responds (1) or not (0), as in /readyz.', 'part')
  const state = gauge('hub_state_up', 'Whether tokens and sessions can be read and written (1) or not (0).', 'kind')
  const publishing = gauge('hub_publishing_up', 'Whether the content’s git repository takes publishes (1) or not (0).')
  const unbuilt = gauge(
    'hub_oldest_unbuilt_change_age_seconds',
    'Age of the oldest change that is not built; 0 if there is none.',
  )
  const fetchAge = gauge('hub_fetch_age_seconds', 'Time since the clone was last in sync with GitHub.')
  const fetchUp = gauge('hub_fetch_up', 'Whether the last fetch from GitHub succeeded (1) or not (0).')
  const tokens = gauge('hub_tokens', 'Tokens in the state. A lost state has none.')
  const skew = gauge('hub_clock_skew_seconds', 'How far this machine’s clock is ahead of another.', 'against')
  const backupAge = gauge('hub_backup_age_seconds', 'Time since the last complete npm run backup on this machine.')
  const credential = gauge('hub_credential_expires_seconds', 'Time until the credential for the git host expires.')
  const waiting = gauge('hub_publish_queue_length', 'Publishes that wait for their turn.')
  const oldest = gauge(
    'hub_publish_queue_oldest_seconds',
    'How long the oldest of them has been waiting; 0 if there is none.',
  )
  return {
    setBuildSeconds: (seconds: number) => build.set(seconds),
    async update({ healthOf, checkAll, queueOf, factsOf }: StatusSources): Promise<void> {
      const failing = await checkAll()
      for (const part of PARTS) ready.set({ part }, failing.some((one) => one.part === part) ? 0 : 1)
      const health = healthOf()
      for (const [what, count] of Object.entries(health.counts ?? {})) served.set({ what }, count)
      served.set({ what: 'broken' }, health.broken.length)
      served.set({ what: 'built_at_seconds' }, health.built_at === null ? 0 : Date.parse(health.built_at) / 1000)
      unbuilt.set(health.unbuilt?.age_seconds ?? 0)
      publishing.set(health.publishing === null ? 1 : 0)
      if (health.state) state.set({ kind: health.state.kind }, health.state.problem === null ? 1 : 0)
      // A hub without a clone has no such metrics, and until the first success, the age is unknown.
      for (const one of [fetchUp, fetchAge]) one.remove()
      if (health.fetch) fetchUp.set(health.fetch.failure === null ? 1 : 0)
      if (health.fetch?.age_seconds != null) fetchAge.set(health.fetch.age_seconds)
      for (const one of [tokens, skew, backupAge, credential]) one.reset()
      for (const one of [tokens, backupAge, credential]) one.remove()
      const facts = await factsOf?.()
      for (const [against, seconds] of Object.entries(facts?.skew ?? {})) skew.set({ against }, seconds)
      if (facts?.tokens !== undefined) tokens.set(facts.tokens)
      if (facts?.backupAgeSeconds !== undefined) backupAge.set(facts.backupAgeSeconds)
      if (facts?.credentialExpiresSeconds !== undefined) credential.set(facts.credentialExpiresSeconds)
      const queue = queueOf()
      waiting.set(queue.length)
      oldest.set(queue.oldestMs / 1000)
    },
  }
}
