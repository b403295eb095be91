// What each page says of itself in its head.
import { LOOK } from './hub-look.ts'

/** What a page says of itself. */
export interface PageHead {
  title: string
  description: string
  /** The page's own address from the site's root. */
  path: string
  /** The address that search engines should keep instead, from the site's root. */
  canonical?: string
  /** Whether search engines may list the page; pages of repositories that are in no list may not. */
  isListed?: boolean
  /** The page's Atom feed, from the site's root; the feed of everything when left out. */
  feed?: string | undefined
  /** What machines are told of the page; https://schema.org */
  facts?: object | undefined
  /** A picture of the page for those who share it, from the site's root. */
  picture?: string | undefined
}

/** Facts as they stand in a script element: nothing in them ends it. */
export function formatFacts(facts: object): string {
  return JSON.stringify(facts).replaceAll('<', '\\u003c')
}

/** The name of a page's feed. */
export const nameFeed = (title: string) => `${title}: new versions`

/** Search engines and tabs show no more of a title. */
const TITLE_CHARACTERS = 70

/** What stands in a page's `title`: with the site's name where there is room, cut where there is none. */
export function fitTitle(title: string): string {
  const whole = `${title} · ${LOOK.name}`
  if (whole.length <= TITLE_CHARACTERS) return whole
  if (title.length <= TITLE_CHARACTERS) return title
  // The cut may fall inside a surrogate pair, whose first half is removed.
  return `${title
    .slice(0, TITLE_CHARACTERS - 1)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trimEnd()}…`
}
