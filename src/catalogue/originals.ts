// Recognises prompts with the same words, finds the original of each copy, and keeps copies behind their originals in every list. Otherwise, a copy could rank first: it starts with its original's text and adds whatever the ranking rewards. docs/contract.md section 5.

import { compareText } from '../domain/text/plain-text.ts'
import { nameOfOriginal } from '../domain/values/names.ts'

/** What identifies a prompt as a copy. */
export interface PossibleCopy {
  summary: { full_name: string; created_at: string; forked_from: string | null }
  /** A value that is the same for prompts with the same words, or null if the prompt is too short to compare. */
  words: string | null
}

/** The full names of the originals of each copy, by the copy's full name. */
export type Originals = ReadonlyMap<string, readonly string[]>

/**
 * Finds the original of each copy among the prompts of a list. A prompt is a copy if it was forked, or if an older prompt has
 * the same words.
 */
export function findOriginals(prompts: readonly PossibleCopy[]): Originals {
  const originals = new Map<string, string[]>()
  const add = (copy: string, original: string) => originals.set(copy, [...(originals.get(copy) ?? []), original])
  let names: Set<string> | undefined
  for (const { summary } of prompts) {
    if (summary.forked_from === null) continue
    names ??= new Set(prompts.map(({ summary }) => summary.full_name))
    const origin = nameOfOriginal(summary.forked_from)
    if (names.has(origin) && origin !== summary.full_name) add(summary.full_name, origin)
  }
  const first = new Map<string, PossibleCopy['summary']>()
  const groups = new Map<string, PossibleCopy['summary'][]>()
  for (const { summary, words } of prompts) {
    if (words === null) continue
    const [same, group] = [first.get(words), groups.get(words)]
    if (group) group.push(summary)
    else if (same) groups.set(words, [same, summary])
    else first.set(words, summary)
  }
  for (const group of groups.values()) {
    const [oldest, ...copies] = group.sort(compareAges)
    for (const { full_name } of copies) add(full_name, oldest!.full_name)
  }
  return originals
}

/**
 * Moves each copy that stands before one of its originals to the place right behind the last of them. Everything else keeps
 * its order. Takes linear time.
 *
 * @param items distinct items in order
 * @param originalsOf the originals of an item; originals that are not in the list are ignored
 */
export function placeCopies<Item>(
  items: readonly Item[],
  originalsOf: (item: Item) => readonly Item[] | undefined,
): Item[] {
  const listed = new Set(items)
  const waitingFor = new Map<Item, Item[]>()
  const placed = new Set<Item>()
  const place = (item: Item): boolean => {
    const missing = originalsOf(item)?.find((original) => listed.has(original) && !placed.has(original))
    if (missing === undefined) placed.add(item)
    else if (waitingFor.get(missing)?.push(item) === undefined) waitingFor.set(missing, [item])
    return missing === undefined
  }
  const release = (item: Item): Item[] => {
    const waiting = waitingFor.get(item) ?? []
    waitingFor.delete(item)
    return waiting.reverse()
  }
  for (const item of items) {
    const ready = place(item) ? release(item) : []
    while (ready.length > 0) {
      const next = ready.pop()!
      if (place(next)) ready.push(...release(next))
    }
  }
  // Only prompts that claim to be forks of each other still wait here.
  return placed.size === items.length ? [...placed] : [...placed, ...items.filter((item) => !placed.has(item))]
}

/** Compares two prompts by age, oldest first. */
export function compareAges(
  a: { full_name: string; created_at: string },
  b: { full_name: string; created_at: string },
): number {
  return Date.parse(a.created_at) - Date.parse(b.created_at) || compareText(a.full_name, b.full_name)
}

/** Minimum number of words for a comparison, because shorter prompts may be equal by coincidence. */
const MIN_WORDS = 20

/** Returns the words of a prompt in lower case, separated by single spaces and without punctuation; undefined if there are too few words. */
export function joinWords(text: string): string | undefined {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []
  return words.length < MIN_WORDS ? undefined : words.join(' ')
}
