// Owns the frame that pages of one kind have in common: the marks that Astro puts where a page's own things stand, and filling them in.
import { addAttribute, escapeHTML } from 'astro/runtime/server/index.js'
import { fitTitle } from '../../domain/api/page-frames.ts'
import { formatFacts, nameFeed, type PageHead } from '../page-head.ts'

/** Kinds of pages with a frame. */
export type FrameKind = 'prompt' | 'comparison'

/** The frames that the site has: of each kind one for listed pages and one for the others, whose head tells search engines to leave them out. */
export function listFrames(): { name: string; kind: FrameKind; isListed: boolean }[] {
  return (['prompt', 'comparison'] as const).flatMap((kind) =>
    [true, false].map((isListed) => ({ name: nameFrame(kind, isListed), kind, isListed })),
  )
}

/** The last part of a frame's address. */
export const nameFrame = (kind: FrameKind, isListed: boolean) => (isListed ? kind : `${kind}-unlisted`)

/** Makes a mark. It holds no character that is escaped in HTML, and no page says the same. */
const mark = (of: string) => `~frame ${of}~`

/** A head in which every text is a mark. */
export const FRAME_HEAD = {
  title: mark('title'),
  description: mark('description'),
  path: mark('path'),
  canonical: mark('canonical'),
  feed: mark('feed'),
  picture: mark('picture'),
  facts: { facts: mark('facts') },
} as const satisfies PageHead

/** The mark in place of the middle of a page. */
export const FRAME_MAIN = mark('main')

/** A page's own things as HTML, by the mark that stands for each in a frame. */
function listFillings(head: PageHead, main: string): Record<string, string> {
  const { title, description, path, canonical = path, feed = '', picture = '', facts = {} } = head
  const attribute = (value: string) => {
    const name = 'a'
    // Astro writes ` a="…"`, of which only the value is wanted.
    return String(addAttribute(value, name)).slice(name.length + 3, -1)
  }
  return {
    [fitTitle(FRAME_HEAD.title)]: String(escapeHTML(fitTitle(title))),
    [nameFeed(FRAME_HEAD.title)]: attribute(nameFeed(title)),
    [FRAME_HEAD.title]: attribute(title),
    [FRAME_HEAD.description]: attribute(description),
    [FRAME_HEAD.canonical]: attribute(canonical),
    [FRAME_HEAD.feed]: attribute(feed),
    [FRAME_HEAD.picture]: attribute(picture),
    [formatFacts(FRAME_HEAD.facts)]: formatFacts(facts),
    [FRAME_MAIN]: main,
  }
}

/** Longer marks first, because one stands within another. */
const MARKS = Object.keys(listFillings(FRAME_HEAD, FRAME_MAIN)).sort((a, b) => b.length - a.length)

/** A frame, cut where its marks stood. */
export interface PageFrame {
  pieces: string[]
  /** What stands after each piece but the last. */
  marks: string[]
}

/** Cuts a frame at its marks. */
export function parseFrame(html: string): PageFrame {
  const parts = html.split(new RegExp(`(${MARKS.map(RegExp.escape).join('|')})`))
  return { pieces: parts.filter((_, index) => index % 2 === 0), marks: parts.filter((_, index) => index % 2 === 1) }
}

/** The page: its frame with its own things in it. @param main HTML */
export function fillFrame({ pieces, marks }: PageFrame, head: PageHead, main: string): string {
  const fillings = listFillings(head, main)
  return pieces.map((piece, index) => piece + (fillings[marks[index] ?? ''] ?? '')).join('')
}
