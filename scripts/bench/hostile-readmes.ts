// The readmes of the attacker's prompts, which are in the content before the hub starts.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LIMITS } from '../../src/domain/limits.ts'

/** The number of prompts with each readme. */
export const README_COPIES = 8

const MOST = LIMITS.contentBytes - 1

/** The readmes by name: the first took quadratic time, the second is the Markdown that takes longest. */
export const READMES = {
  hashes: `# ${' #'.repeat(MOST / 2)}`.slice(0, MOST),
  tables: 'a|b\n-|-\n'.repeat(MOST / 8),
} as const

/** Writes the prompts of an owner. */
export function writeReadmes(ownerDir: string): void {
  for (const [name, readme] of Object.entries(READMES))
    for (let copy = 0; copy < README_COPIES; copy++) {
      const dir = join(ownerDir, `${name}-${copy}`)
      mkdirSync(join(dir, 'versions'), { recursive: true })
      writeFileSync(join(dir, 'index.md'), `---\ntitle: Attack\n---\n${readme}\n`)
      const front = 'published_at: "2026-11-01T10:00:00Z"\npublished_by: octocat'
      writeFileSync(join(dir, 'versions/1.0.0.md'), `---\n${front}\n---\nAttack.\n`)
    }
}
