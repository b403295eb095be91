// Checks the results of publishing: a valid git history with one new version file per commit, and consecutive version
// numbers.
import { expect } from 'vitest'
import { z } from 'zod'
import { createGit } from '../../src/git/git-command.ts'
import type { Answer } from '../hubs/publishing.ts'
import { gitOf, type World } from '../hubs/worlds.ts'

/**
 * Checks a repository's history with the real git: it is intact and linear, each commit adds one version file and the
 * files of that version, and no version file is ever modified.
 * @returns the paths of the version files, oldest first
 */
export async function judgeHistory(world: World): Promise<string[]> {
  // A repository on GitHub is exported once for all questions.
  const folder = await world.gitFolder()
  const git = (...args: string[]) => gitOf({ ...world, gitFolder: async () => folder }, ...args)
  const [broken, merges, log] = await Promise.all([
    git('fsck', '--full', '--strict', '--no-dangling'),
    git('rev-list', '--min-parents=2', 'main'),
    git('log', '--reverse', '--no-renames', '--name-status', '--format=%x00%s', 'main', '--', 'content'),
  ])
  expect([broken, merges]).toEqual(['', ''])
  const added: string[] = []
  for (const commit of log.split('\0').slice(1)) {
    const [headline = '', ...lines] = commit.split('\n').filter((line) => line !== '')
    const versions = lines.filter((line) => /\/versions\//.test(line))
    const others = lines.filter((line) => !versions.includes(line))
    const [, fullName = '', version = ''] = /^Publish (\S+) (\S+)$/.exec(headline) ?? []
    if (version === '') {
      for (const line of versions) expect(line[0]).toBe('A')
      continue
    }
    const files = versions.filter((line) => line.startsWith(`A\tcontent/${fullName}/versions/${version}/`))
    expect(versions.filter((line) => !files.includes(line))).toEqual([`A\tcontent/${fullName}/versions/${version}.md`])
    for (const line of others) expect(line.slice(2)).toBe(`content/${fullName}/index.md`)
    added.push(`content/${fullName}/versions/${version}.md`)
  }
  return added
}

/** Reads files with one git process. @param names such as `main:README.md` */
export async function readBlobs(gitFolder: string, names: readonly string[]): Promise<Buffer[]> {
  const input = names.map((name) => `${name}\n`).join('')
  const git = createGit(gitFolder, process.env, { GIT_DIR: gitFolder })
  let rest = await git.run(['cat-file', '--batch=%(objectsize)'], { input })
  return names.map((name) => {
    const start = rest.indexOf('\n') + 1
    const size = Number(rest.subarray(0, start))
    expect(size, name).toBeGreaterThanOrEqual(0)
    const bytes = rest.subarray(start, start + size)
    rest = rest.subarray(start + size + 1)
    return bytes
  })
}

/** Checks that each response names the commit that contains exactly the content that was sent. */
export async function expectPublished(
  world: World,
  bodies: readonly { content: string }[],
  answers: readonly Answer[],
): Promise<void> {
  const folder = await world.gitFolder()
  const Commit = z.object({ sha: z.string() })
  const files = answers.map(
    ({ data, version }) => `${Commit.parse(data.commit).sha}:content/${data.full_name}/versions/${version}.md`,
  )
  for (const [index, bytes] of (await readBlobs(folder, files)).entries())
    expect(bytes.toString().endsWith(`\n---\n${bodies[index]!.content}`)).toBe(true)
}

/**
 * Returns consecutive version numbers such as 1.0.0, 1.0.1, …: together, simultaneous publishers must get exactly
 * these.
 */
export const consecutive = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, index) => `1.0.${from + index}`)

/** Sorts version numbers numerically. */
export const sorted = (versions: readonly string[]): string[] =>
  [...versions].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
