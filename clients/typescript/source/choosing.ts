// Chooses where prompts are added to a project: what is there stays, and a place is added. docs/lock-file.md
import { type Agent, skillsFolder } from './agents.ts'
import { readVendored } from './files.ts'
import { isSafePath, type LockedPrompt, MAX_PLACES } from './lock.ts'
import { findClash, SKILL } from './skills.ts'
import { PromptHubError } from './trouble.ts'

/** The longest name of a skill. */
const MAX_NAME = 64

/** A prompt to add. */
export interface Addition {
  /** `owner/name`, or with a range or label: `owner/name@^1.2`. */
  name: string
  /** Path of its content or of the folder of a skill, relative to the lock's folder. Where the prompt is already, it also stays; default: there, or `prompts/{owner}/{name}.md`. */
  path?: string
  /** Whether to add it as an Agent Skill, with all its files. */
  isSkill?: boolean
  /** The agent in whose folder to install the skill; default: where a skill is already, or what the project has. */
  agent?: Agent
  /** Whether to write the tools that the skill asks to use without a question into its SKILL.md, also of later versions. */
  keepsPermissions?: boolean
}

/** Where to write a prompt. */
export interface Target {
  path: string
  /** Whether it is the folder of a skill. */
  isSkill: boolean
}

/**
 * Chooses the places of each prompt to add. Checks the paths before any request.
 *
 * @param root the lock's folder
 * @param additions with full names
 * @returns the places by full name
 * @throws PromptHubError `invalid_request` for a path that is not valid or belongs to another prompt
 */
export async function choosePlaces(
  root: string,
  prompts: Readonly<Record<string, LockedPrompt>>,
  additions: readonly Addition[],
): Promise<Map<string, readonly Target[]>> {
  const places = new Map(Object.entries(prompts).map(([name, locked]) => [name, targetsOf(locked)]))
  for (const each of additions) {
    const own = places.get(each.name) ?? []
    places.set(each.name, own)
    const others = [...places].flatMap(([name, there]) =>
      name === each.name ? [] : there.map(({ path }) => [path, name] as const),
    )
    const target = chooseNew(
      each,
      own,
      await skillsFolder(root, each.agent),
      others.map(([path]) => path),
    )
    if (!target || own.some(({ path, isSkill }) => path === target.path && isSkill === target.isSkill)) continue
    const { path, isSkill } = target
    if (!isSafePath(path))
      throw new PromptHubError('invalid_request', `${path} leaves the folder or is not valid on every system.`)
    const all = [...others, ...own.map((there) => [there.path, each.name] as const)]
    const taken = all.find(([there]) => findClash([there, path]) !== undefined)
    if (taken)
      throw new PromptHubError(
        'invalid_request',
        `-o: ${path} would be at the same path or inside it: ${taken[1]} is at ${taken[0]}; choose another`,
      )
    await readVendored(root, isSkill ? `${path}/${SKILL}` : path)
    if (own.push(target) > MAX_PLACES)
      throw new PromptHubError(
        'invalid_request',
        `${each.name} is at ${MAX_PLACES} places already; remove one: prompt-hub remove ${each.name} -o ${own[0]!.path}`,
      )
  }
  return places
}

/** The places of a locked prompt. */
export function targetsOf({ places }: LockedPrompt): Target[] {
  return places.map(({ path, files }) => ({ path, isSkill: files !== undefined }))
}

/** Chooses where to add a prompt. @param folder that of the agent @param others the paths of other prompts @returns undefined if it stays where it is */
function chooseNew(
  { name, path: given, isSkill: isAsked = false, agent }: Addition,
  own: readonly Target[],
  folder: string,
  others: readonly string[],
): Target | undefined {
  const isSkill = isAsked || agent !== undefined
  const names = skillNames(name)
  if (given !== undefined) {
    const path = isSkill ? given.replace(/\/+$/, '') : given
    if (!isSkill && own.some((there) => there.path === path)) return undefined
    if (isSkill && !names.includes(path.split('/').at(-1)!))
      throw new PromptHubError(
        'invalid_request',
        `-o: expected a folder of the skill's name, such as ${folder}/${names[0]}, got ${given}`,
      )
    return { path, isSkill }
  }
  if (!isSkill) return own.length > 0 ? undefined : { path: `prompts/${name}.md`, isSkill }
  if (agent === undefined && own.some((there) => there.isSkill)) return undefined
  const paths = names.map((each) => `${folder}/${each}`)
  const there = own.find((each) => each.isSkill && paths.includes(each.path))
  const free = paths.find((path) => findClash([...others, path]) === undefined)
  if (!there && free === undefined)
    throw new PromptHubError(
      'invalid_request',
      `${folder} has other skills named ${names.join(' and ')}; name a folder with -o`,
    )
  return there ?? { path: free!, isSkill }
}

/** The names under which a skill can be installed. The second is that of the hub's index for a name that is taken. */
export function skillNames(fullName: string): string[] {
  const [owner, name = ''] = fullName.split('/')
  const second = `${name}-by-${owner}`
  return second.length <= MAX_NAME ? [name, second] : [name]
}
