// Decides in which order a build makes the repositories that changed, and what is read and parsed ahead for them.
import type { readRepository } from '../content/content-dir.ts'
import type { ContentReader } from '../content/content-files.ts'
import { type ListedFile, type ListedPart, sizeOf } from '../content/content-listing.ts'
import type { StoredRepository } from './data-sink.ts'
import { listBeside, listUnread } from './recalled-versions.ts'

/** A repository to read, because something of it changed. */
export interface Changed {
  fullName: string
  part: ListedPart
  before: StoredRepository | undefined
  stats: string
  added: string
}

/** Larger prompts are not parsed in another thread, which would hand on a copy of all their versions at once. */
const MAX_BYTES_AHEAD = 4_194_304

/** A prompt, and its files. */
export type PromptFiles = readonly [fullName: string, files: readonly ListedFile[]]

/** Prompts that another thread parses. */
export interface ParsedAhead {
  /** Takes a prompt, in the order in which they were given. @returns undefined if the rest must be read without the thread */
  take(fullName: string): ReturnType<typeof readRepository> | undefined
  end(): void
}

/** Starts to parse new prompts in another thread, if that is worth it. */
export type ParseAhead = (prompts: PromptFiles[]) => ParsedAhead | undefined

interface Order {
  /** Reads many files at once, in the order of the list. */
  inOrder: ContentReader
  /** Opens a reader for what is made before its turn. */
  openContent: () => ContentReader
  parseAhead: ParseAhead | undefined
  mayParseAhead: (one: Changed) => boolean
  /** Called with the number of repositories made so far. */
  onProgress: ((done: number, total: number) => void) | undefined
  /** Returns the full name of a repository that is made before the others. @param left those that are not made yet */
  findAsked: ((left: ReadonlyMap<string, unknown>) => string | undefined) | undefined
}

/**
 * Makes each repository once: those that somebody asks for first, and the others in the order of the list.
 *
 * @param left by full name; empty at the end
 * @param make gets a repository, the reader of its files, and what was parsed of it, if anything
 */
export function makeInOrder(
  left: Map<string, Changed>,
  { inOrder, openContent, parseAhead, mayParseAhead, onProgress, findAsked }: Order,
  make: (one: Changed, reader: ContentReader, parsed?: ReturnType<typeof readRepository>) => void,
): void {
  const total = left.size
  const small = [...left.values()].filter((one) => mayParseAhead(one) && sizeOf(one.part.files) <= MAX_BYTES_AHEAD)
  const isAhead = new Set(small.map(({ fullName }) => fullName))
  let ahead = parseAhead?.(small.map(({ fullName, part }) => [fullName, part.files]))
  const expect = () =>
    inOrder.expect?.(
      [...left.values()].flatMap(({ fullName, part, before }) =>
        ahead && isAhead.has(fullName) ? listBeside(part.files) : listUnread(part.files, before?.marks),
      ),
    )
  const takeAhead = (fullName: string) => {
    if (!ahead || !isAhead.has(fullName)) return undefined
    const parsed = ahead.take(fullName)
    if (!parsed) {
      ahead.end()
      ahead = undefined
      expect()
    }
    return parsed
  }
  const makeNow = (one: Changed, reader: ContentReader) => {
    onProgress?.(total - left.size, total)
    const parsed = reader === inOrder ? takeAhead(one.fullName) : undefined
    left.delete(one.fullName)
    make(one, reader, parsed)
  }
  const nextAsked = () => left.get(findAsked?.(left) ?? '')
  expect()
  try {
    for (const one of left.values()) {
      for (let asked = nextAsked(); asked; asked = nextAsked()) makeNow(asked, openContent())
      if (left.has(one.fullName)) makeNow(one, inOrder)
    }
  } finally {
    ahead?.end()
  }
}
