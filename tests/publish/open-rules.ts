// The hub for the tests of the publishing rules: a repository with the files of a test, and what git says about it.
import { execFileSync } from 'node:child_process'
import { type Hub, openHub, REPOSITORY } from '../hubs/publishing.ts'
import { openLocalWorld, type World } from '../hubs/worlds.ts'

/** The file of the repository that these tests publish to. */
export const INDEX = `content/${REPOSITORY}/index.md`
/** Where one of its versions lies. */
export const versionPath = (version: string) => `content/${REPOSITORY}/versions/${version}.md`
/** A version file as somebody published it long ago. */
export const versionFile = (content: string, front = '') =>
  `---\npublished_at: "2026-01-01T00:00:00Z"\npublished_by: octocat\n${front}---\n${content}`

export let world: World
export let hub: Hub
/** Opens a hub on a repository with files; `world` and `hub` are the open ones. */
export const open = async (files: Record<string, string> = {}) => {
  world = openLocalWorld(files)
  hub = await openHub(world)
}
/** Git on that repository. */
export const git = async (...args: string[]) =>
  execFileSync('git', ['--git-dir', await world.gitFolder(), ...args], { encoding: 'utf8' })
/** How many commits there are. */
export const commits = async () => Number(await git('rev-list', '--count', 'main'))
/** A file at the head. */
export const show = (path: string) => git('show', `main:${path}`)
