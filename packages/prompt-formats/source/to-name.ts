// Makes names and tags of texts, by the hub's rules. The browser runs it too.

import { LIMITS } from '../../../src/domain/limits.ts'
import { NAME_PATTERN, TAG_PATTERN } from '../../../src/domain/values/names.ts'

/** Derives a hub name from a title: lower case, without accents, words joined by hyphens. Empty if nothing remains. */
export function toName(title: string): string {
  const words = title
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, LIMITS.nameCharacters)
    .replace(/-$/, '')
  return NAME_PATTERN.test(words) ? words : ''
}

/** Converts tags to the hub's rules: at most ten, without duplicates. */
export function toTags(tags: readonly string[]): string[] {
  const made = tags
    .map((tag) => toName(tag))
    .filter((tag) => TAG_PATTERN.test(tag) && tag.length <= LIMITS.tagCharacters)
  return [...new Set(made)].slice(0, LIMITS.tagsPerRepository)
}
