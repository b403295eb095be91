// Measures `check:content -- --base` over thousands of new files: CPU time, and memory, which must not grow with their number.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Measurement } from './measure.ts'
import { runNode } from './processes.ts'
import { type BenchSite, PROJECT_DIR } from './site.ts'

/** Two files each, `index.md` and one version, and one for each owner: about 2,000, 10,000 and 20,000 files. */
const PROMPTS = [1_000, 4_500, 9_000]
const DEADLINE_MS = 300_000
/** The baseline: a process that only asks git for the names of the changed files. */
const LIST = `const { execFileSync } = require('node:child_process')
const names = execFileSync('git', ['diff', '--name-only', '-z', 'HEAD~1'], { maxBuffer: 1e9 }).toString().split('\\0')
console.log(names.length - 1)
setTimeout(() => {}, 300)`

/** Measures changes of three sizes, to show growth. Independent of the run's catalogue. */
export async function measureReview({ dir }: BenchSite): Promise<Measurement[]> {
  const measurements: Measurement[] = []
  let least: { files: number; peakBytes: number } | undefined
  for (const prompts of PROMPTS) {
    const root = join(dir, 'review')
    const contentDir = await makeChange(root, prompts)
    const listing = await runNode(['-e', LIST], { cwd: root }, DEADLINE_MS)
    const files = Number(listing.log)
    const check = [...readCommand(), '--base', 'HEAD~1']
    const { seconds, usage } = await runNode(check, { cwd: root, settings: { CONTENT_DIR: contentDir } }, DEADLINE_MS)
    rmSync(root, { recursive: true })
    const name = `review: ${files} changed files`
    measurements.push({
      ...{ name: `${name}, processor time`, unit: 's', measured: usage?.processorSeconds ?? seconds },
      limit: { of: 'measured', most: 10 },
      note: `${seconds.toFixed(1)} s on the clock`,
    })
    if (!usage || !listing.usage) continue
    const measured = usage.peakBytes / 1e6
    measurements.push({
      ...{ name: `${name}, peak memory beside listing them`, unit: 'MB', measured },
      floor: listing.usage.peakBytes / 1e6,
    })
    least ??= { files, peakBytes: usage.peakBytes }
    if (least.files === files) continue
    measurements.push({
      ...{ name: `${name}, peak memory beside that of ${least.files}`, unit: 'MB', measured },
      floor: least.peakBytes / 1e6,
      limit: { of: 'ratio', most: 1.25 },
    })
  }
  return measurements
}

/** What `npm run check:content` runs, with its flags. */
function readCommand(): string[] {
  const { scripts } = JSON.parse(readFileSync(join(PROJECT_DIR, 'package.json'), 'utf8'))
  const [, ...words] = String(scripts['check:content']).split(' ')
  return words.map((word) => (word.endsWith('.ts') ? join(PROJECT_DIR, word) : word))
}

/** A repository with an empty base and a commit of this many prompts. @returns its content folder */
async function makeChange(root: string, prompts: number): Promise<string> {
  const contentDir = join(root, 'content')
  mkdirSync(contentDir, { recursive: true })
  const identity = ['-c', 'user.name=Bench', '-c', 'user.email=bench@example.com']
  const git = (...args: string[]) => execFileSync('git', [...identity, ...args], { cwd: root })
  git('init', '--quiet')
  git('commit', '--quiet', '--allow-empty', '--message', 'base')
  const generate = [
    'scripts/content/generate-content.ts',
    '--repos',
    String(prompts),
    '--versions',
    '1',
    '--out',
    contentDir,
  ]
  await runNode(generate, { cwd: PROJECT_DIR }, DEADLINE_MS)
  git('add', '--all')
  git('commit', '--quiet', '--message', 'change')
  return contentDir
}
