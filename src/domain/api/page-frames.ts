// Owns the pages that a function fills in for each request: where the build leaves them, and the place in each that is filled.

/** What every frame holds in its title and in its middle. */
export const PAGE_TITLE = 'Page title'
/** The element that is replaced with the page. */
export const PAGE_PLACE = '<div id="page"></div>'
/** Where the frame of found prompts, of pages that are still being built, and of comparisons lies; nothing links to it. */
export const PAGE_FRAME_PATH = '/assets/page-frame/index.html'
/** The site's page for what is not there, and the place in it where nearby names may stand. */
export const NOT_FOUND_PATH = '/404.html'
/** The element that is replaced with nearby names. */
export const MEANT_PLACE = '<div id="meant"></div>'

/** Search engines and tabs show no more of a title. */
const TITLE_CHARACTERS = 70

/** What stands in a page's `title`: with the site's name where there is room, cut where there is none. */
export function fitTitle(title: string): string {
  const whole = `${title} · Prompt Hub`
  if (whole.length <= TITLE_CHARACTERS) return whole
  if (title.length <= TITLE_CHARACTERS) return title
  // The cut may fall inside a surrogate pair, whose first half is removed.
  return `${title
    .slice(0, TITLE_CHARACTERS - 1)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trimEnd()}…`
}
