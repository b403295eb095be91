// Opens the hub for the tests of the publishing rules: a repository with the given files, and helpers that read from
// git.
import { type Hub, openHub, REPOSITORY } from '../hubs/publishing.ts'
import { gitOf, openLocalWorld, type World } from '../hubs/worlds.ts'

/** The path of the index.md of the repository to which these tests publish. */
export const INDEX = `content/${REPOSITORY}/index.md`
/** Returns the path of a version file in this repository. */
export const versionPath = (version: string) => `content/${REPOSITORY}/versions/${version}.md`
/** Returns a version file as it might have been published long ago. */
export const versionFile = (content: string, front = '') =>
  `---\npublished_at: "2026-01-01T00:00:00Z"\npublished_by: octocat\n${front}---\n${content}`

export let world: World
export let hub: Hub
/** Opens a hub on a repository with these files, and sets `world` and `hub`. */
export const open = async (files: Record<string, string> = {}) => {
  world = openLocalWorld(files)
  hub = await openHub(world)
}
/** Runs git in the repository of `world`. */
export const git = (...args: string[]) => gitOf(world, ...args)
/** Returns the number of commits on main. */
export const commits = async () => Number(await git('rev-list', '--count', 'main'))
/** Returns the content of a file at the branch head. */
export const show = (path: string) => git('show', `main:${path}`)
