// Groups tags by subject: a tag of many prompts, with the tags that these prompts also have.
import type { TagRecord } from '../domain/api/schema.ts'
import type { PageData } from './rendering.ts'

/** A tag, and those that mostly occur together with it, most used first. */
export interface TagGroup {
  subject: TagRecord
  tags: TagRecord[]
}

/** Maximum number of tags that can be a subject; each takes a read. */
const MAX_SUBJECTS = 12
/** Minimum number of prompts of a subject. */
const MIN_PROMPTS = 3
/** Maximum number of tags that are shown of a group. */
const MAX_TAGS = 6
/** Maximum number of tags that are shown beside the groups. */
const MAX_OTHERS = 16

/**
 * Groups tags, as far as the highest ranked prompts of the most used tags show which occur together.
 *
 * @param tags most used first
 * @returns the groups, and the most used of the tags that are in none
 */
export async function groupTags(
  tags: readonly TagRecord[],
  { listPrompts }: Pick<PageData, 'listPrompts'>,
): Promise<{ groups: TagGroup[]; others: TagRecord[] }> {
  const often = tags.filter(({ count }) => count >= MIN_PROMPTS).slice(0, MAX_SUBJECTS)
  const together = new Map<string, Map<string, number>>()
  await Promise.all(often.map(async ({ name }) => together.set(name, await countTogether(name, listPrompts))))
  const groups: TagGroup[] = []
  const alone: TagRecord[] = []
  for (const tag of tags) {
    const shared = ({ subject }: TagGroup) => together.get(subject.name)?.get(tag.name) ?? 0
    // The first of several, which is the most used.
    const [best] = groups.toSorted((a, b) => shared(b) - shared(a))
    const common = best ? shared(best) : 0
    const mayLead = together.has(tag.name)
    if (best && common > 0 && (!mayLead || common >= tag.count / 2)) best.tags.push(tag)
    else if (mayLead) groups.push({ subject: tag, tags: [] })
    else alone.push(tag)
  }
  const isGroup = (group: TagGroup) => group.tags.length > 0
  const others = [...groups.filter((group) => !isGroup(group)).map(({ subject }) => subject), ...alone]
  const shown = groups.filter(isGroup).map(({ subject, tags }) => ({ subject, tags: tags.slice(0, MAX_TAGS) }))
  return { groups: shown, others: others.slice(0, MAX_OTHERS) }
}

/** Counts the tags of the highest ranked prompts with a tag. */
async function countTogether(tag: string, listPrompts: PageData['listPrompts']): Promise<Map<string, number>> {
  const { data = [] } = (await listPrompts('top', 1, tag)) ?? {}
  const counts = new Map<string, number>()
  for (const name of data.flatMap(({ tags }) => tags)) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}
