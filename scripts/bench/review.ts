// Owns measuring the review of a large change: `check:content -- --base` over thousands of files that the base does not have, its time on the processor and its memory.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Measurement } from './measure.ts'
import { runNode } from './processes.ts'
import { type BenchSite, PROJECT_DIR } from './site.ts'

/** Two files each: `index.md` and one version. */
const PROMPTS = [1_000, 5_000]
const DEADLINE_MS = 300_000

/** Measures a small and a large change, so that what grows is seen. The catalogue of the run is not looked at. */
export async function measureReview({ dir }: BenchSite): Promise<Measurement[]> {
  const measurements: Measurement[] = []
  for (const prompts of PROMPTS) {
    const root = join(dir, 'review')
    const contentDir = join(root, 'content')
    mkdirSync(contentDir, { recursive: true })
    const identity = ['-c', 'user.name=Bench', '-c', 'user.email=bench@example.com']
    const git = (...args: string[]) => execFileSync('git', [...identity, ...args], { cwd: root })
    git('init', '--quiet')
    git('commit', '--quiet', '--allow-empty', '--message', 'base')
    const generate = ['scripts/generate-content.ts', '--repos', String(prompts), '--versions', '1', '--out', contentDir]
    await runNode(generate, { cwd: PROJECT_DIR }, DEADLINE_MS)
    git('add', '--all')
    git('commit', '--quiet', '--message', 'change')
    const check = [join(PROJECT_DIR, 'scripts/check-content.ts'), '--base', 'HEAD~1']
    const { seconds, usage } = await runNode(check, { cwd: root, settings: { CONTENT_DIR: contentDir } }, DEADLINE_MS)
    const files = readdirSync(contentDir, { recursive: true }).filter((path) => String(path).endsWith('.md')).length
    rmSync(root, { recursive: true })
    const name = `review: ${files} changed files`
    measurements.push({
      ...{ name: `${name}, processor time`, unit: 's', measured: usage?.processorSeconds ?? seconds },
      limit: { of: 'measured', most: 10 },
      note: `${seconds.toFixed(1)} s on the clock`,
    })
    if (usage) measurements.push({ name: `${name}, memory`, unit: 'MB', measured: usage.peakBytes / 1e6 })
  }
  return measurements
}
