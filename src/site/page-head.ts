// Builds the head metadata of each page.

export interface PageHead {
  title: string
  description: string
  /** The path of the page. */
  path: string
  /** The canonical path, for search engines. */
  canonical?: string
  /** Whether search engines may index the page; false for pages of unlisted repositories. */
  isListed?: boolean
  /** The path of the page's preview image; default: the hub's. */
  card?: string | undefined
  /** The path of the page's Atom feed; default: the feed of all prompts. */
  feed?: string | undefined
  /** Structured data for the page (see https://schema.org). */
  facts?: object | undefined
}

/** Formats structured data for a script element, escaped so that nothing in it closes the element. */
export function formatStructuredData(facts: object): string {
  return JSON.stringify(facts).replaceAll('<', '\\u003c')
}

/** Returns the title of a page's feed. */
export const nameFeed = (title: string) => `${title}: new versions`

/** Maximum length of a title; search engines and browser tabs cut off longer titles. */
const TITLE_CHARACTERS = 70

/** Returns a page's `title`, followed by the hub's name if there is room, and truncated if it is too long. */
export function fitTitle(title: string, hubName: string): string {
  const whole = `${title} · ${hubName}`
  if (whole.length <= TITLE_CHARACTERS) return whole
  if (title.length <= TITLE_CHARACTERS) return title
  // If the title is truncated inside a surrogate pair, the first half of the pair is removed too.
  return `${title
    .slice(0, TITLE_CHARACTERS - 1)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trimEnd()}…`
}
