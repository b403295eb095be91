// Describes the preview image of a prompt, which other sites show for a link to it. The host draws it, where it can.
import { drawSilhouette } from './silhouette.ts'
import type { listTicks } from './version-tape.ts'

/** What is drawn on a card. The same card always gives the same picture. */
export interface Card {
  hubName: string
  owner: string
  name: string
  title: string
  description: string
  /** Null if there is no active version. */
  version: string | null
  /** The parts of the silhouette's SVG, as on the page. */
  silhouette: string
  ticks: readonly Pick<ReturnType<typeof listTicks>[number], 'part' | 'isBreaking' | 'isLabelled'>[]
}

/** Maximum number of characters of a title and a description; the picture has no room for more. */
const TITLE_CHARACTERS = 56
const DESCRIPTION_CHARACTERS = 150
/** Maximum number of ticks beside the version. */
const MAX_TICKS = 16

/** Describes a card. @param content the text of its version, or the start of it */
export function describeCard(given: Omit<Card, 'silhouette'> & { content: string; isSkill: boolean }): Card {
  const { content, isSkill, ticks, title, description, ...rest } = given
  return {
    ...rest,
    title: cutText(title, TITLE_CHARACTERS),
    description: cutText(description, DESCRIPTION_CHARACTERS),
    silhouette: drawSilhouette({ content, isSkill }),
    ticks: ticks.slice(-MAX_TICKS).map(({ part, isBreaking, isLabelled }) => ({ part, isBreaking, isLabelled })),
  }
}

/** Cuts text at a space, and leaves out what XML cannot contain. */
function cutText(text: string, most: number): string {
  const clean = text
    .slice(0, 10 * most)
    .replace(/[\p{Cc}\uFFFE\uFFFF\s]+/gu, ' ')
    .trim()
    .toWellFormed()
  if (clean.length <= most) return clean
  const start = clean
    .slice(0, most)
    .toWellFormed()
    .replace(/\uFFFD$/, '')
  return `${start.includes(' ') ? start.slice(0, start.lastIndexOf(' ')) : start}…`
}
