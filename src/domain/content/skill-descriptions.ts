// Finds descriptions of skills by which an agent cannot choose: too long to be shown whole, or like that of another skill of the owner.
import { LIMITS } from '../limits.ts'
import { isStopWord, tokenize, toTerm } from '../search/tokens.ts'
import type { Finding } from './finding.ts'

/** A skill as agents list it. */
export interface ListedSkill {
  name: string
  description: string
}

/** Some agents show 1,536 characters of the descriptions of all skills, and cut the rest; a third of that leaves room for others. https://code.claude.com/docs/en/skills */
const SHOWN_CHARACTERS = 512
/** Maximum number of other skills that are compared. */
const MAX_COMPARED = 100
/** The share of words that two descriptions have in common from which on an agent would have to guess. */
const SAME_SHARE = 0.8

/** Finds what is wrong with a description. @param others the owner's other skills */
export function findWeakDescription({ description }: ListedSkill, others: readonly ListedSkill[]): Finding[] {
  const found = (message: string): Finding => ({ code: 'weak_metadata', key: 'skill.description', message, offset: -1 })
  const length = [...description].length
  const long =
    length > SHOWN_CHARACTERS
      ? `has ${length} characters, of which some agents show only a part; say what the skill does and when to use it in the first ${SHOWN_CHARACTERS}`
      : undefined
  const own = listTerms(description)
  const same = others.slice(0, MAX_COMPARED).find((other) => shareOf(own, listTerms(other.description)) >= SAME_SHARE)
  const alike = same && `agents cannot tell it from that of ${same.name}; say when to use which`
  return [long, alike].filter((message) => message !== undefined).map(found)
}

function listTerms(description: string): ReadonlySet<string> {
  return new Set(
    // A longer one is refused, but by another rule.
    tokenize(description.slice(0, LIMITS.skillDescriptionCharacters))
      .filter((token) => !isStopWord(token))
      .map(toTerm),
  )
}

/** Returns the share of all terms that both have. */
function shareOf(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const both = one.intersection(other).size
  return both === 0 ? 0 : both / (one.size + other.size - both)
}
