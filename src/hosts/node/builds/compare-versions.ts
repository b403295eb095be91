// Compares the versions in the content with what they first were on the branch, and with what this hub published: of the prompts that changed since the last round alone.
import type { Config } from '../../../config.ts'
import type { ContentHistory } from '../../../content/content-history.ts'
import { promptOf } from '../../../content/content-listing.ts'
import type { ContentLook } from '../../../content/content-source.ts'
import { type FirstFilesByPrompt, findFirstFiles } from '../../../content/first-files.ts'
import { splitFullName } from '../../../domain/values/names.ts'
import type { Git } from '../../../git/git-command.ts'
import { logProblem } from '../../../log.ts'
import { openPublished, type Published, sourceOf } from '../../../state/published.ts'
import { openState } from '../open-state.ts'

/** Opens the comparison. @param settleMs how long a publish may be ahead of the content */
export function openComparison(config: Config, settleMs: number) {
  /** The paths that differed from the commit in the last round. */
  let uncommitted: ReadonlySet<string> = new Set()
  /** What this hub published, of the prompts that the branch does not have whole: what was reported stays so while the state does not respond. */
  let lacking: ReadonlyMap<string, Published> = new Map()
  let hasAsked = true
  let opened: Promise<ReturnType<typeof openPublished>> | undefined

  /** Reads what this hub published, for prompts that changed: a branch that was set back lacks some of it. @returns undefined if the state does not respond; everything is then asked again soon */
  const readPublished = async (affected: ReadonlySet<string> | 'all'): Promise<Map<string, Published> | undefined> => {
    try {
      opened ??= openState(config).then((state) => openPublished(state, sourceOf(config)))
      const published = await opened
      if (affected === 'all') return await published.readAll()
      const places = [...affected].flatMap((fullName) => splitFullName(fullName) ?? [])
      return new Map(
        await Promise.all(
          places.map(async (place) => [`${place.owner}/${place.name}`, await published.read(place)] as const),
        ),
      )
    } catch (cause) {
      opened = undefined
      logProblem(
        'warning',
        'branch_unchecked',
        'It was not checked whether the branch still has what was published to it.',
        { cause },
      )
      return undefined
    }
  }
  return {
    /** Whether the state responded in the last round. */
    get hasAsked(): boolean {
      return hasAsked
    },
    /** @param known the result of the last round; undefined if every prompt must be compared */
    async compare(
      git: Git,
      look: ContentLook,
      history: ContentHistory,
      known: FirstFilesByPrompt | undefined,
    ): Promise<FirstFilesByPrompt> {
      const { touched } = history
      const unsettled = [...(known ?? [])].flatMap(([fullName, { isUnsettled }]) => (isUnsettled ? [fullName] : []))
      const edited = new Set([...uncommitted, ...look.edited].map(promptOf))
      const affected: ReadonlySet<string> | 'all' =
        known && look.changed !== 'all' && touched !== 'all' && hasAsked
          ? new Set([...look.changed, ...edited, ...touched, ...unsettled])
          : 'all'
      uncommitted = look.edited
      if (history.head === undefined) return new Map()
      const read = await readPublished(affected)
      const published = new Map([...lacking, ...(read ?? [])])
      const settledMs = Date.now() - settleMs
      const found = await findFirstFiles({
        git,
        look,
        history,
        affected,
        published,
        settledMs,
        ...(known && { known }),
      })
      lacking = new Map([...published].filter(([fullName]) => found.has(fullName)))
      hasAsked = read !== undefined
      return found
    },
  }
}
