// Lists the top hundred prompts, on two pages, for `prompts/list` and `resources/list`.
import { countCharacters } from '../../domain/text/text-length.ts'
import type { MenuEntry } from '../../ports/search.ts'
import type { Hub } from '../hub.ts'
import { invalidParams } from './protocol.ts'

/** The list is short because clients request all pages when they connect, and some stop after a certain number of pages. */
const PAGE_SIZE = 50

/** One page of the menu. */
interface MenuPage {
  entries: MenuEntry[]
  /** An object to merge into the result; contains `nextCursor` if there is a next page. */
  next: { nextCursor?: string }
}

/** Reads a page of the menu. @throws McpFailure for a cursor that this server never issued */
export async function readMenu({ cursor }: Record<string, unknown>, { search }: Hub): Promise<MenuPage> {
  const offset = isFirstPage(cursor) ? 0 : readCursor(cursor)
  const entries = await search().listMenu()
  if (offset > 0 && offset >= entries.length) throw badCursor()
  const end = offset + PAGE_SIZE
  return { entries: entries.slice(offset, end), next: end < entries.length ? { nextCursor: formatCursor(end) } : {} }
}

/** Returns whether a cursor asks for the first page; some clients send null or an empty string for it. */
export const isFirstPage = (cursor: unknown): boolean => cursor === undefined || cursor === null || cursor === ''

function readCursor(cursor: unknown): number {
  const offset = typeof cursor === 'string' ? Number(Buffer.from(cursor, 'base64url').toString().slice(1)) : Number.NaN
  // Other strings may decode to the same number, so the cursor must be exactly the string that was issued.
  if (!(offset > 0) || formatCursor(offset) !== cursor) throw badCursor()
  return offset
}

function formatCursor(offset: number): string {
  return Buffer.from(`@${offset}`).toString('base64url')
}

function badCursor() {
  return invalidParams('Unknown cursor. Omit "cursor" for the first page, then pass nextCursor unchanged.')
}

/** Matches control, format, private-use and unassigned characters, and other invisible characters such as variation selectors and fillers. */
const HIDDEN = /[\p{C}\p{Default_Ignorable_Code_Point}]/gu

/** Converts a string to a single line without hidden characters. @param maxCharacters maximum length in code points; longer lines are truncated and end with `…` */
export function menuText(text: string, maxCharacters: number): string {
  const line = text.replace(/\s+/gu, ' ').replace(HIDDEN, '').trim()
  if (countCharacters(line) <= maxCharacters) return line
  return `${[...line].slice(0, maxCharacters - 1).join('')}…`
}
