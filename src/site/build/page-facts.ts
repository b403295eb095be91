// Owns what a page with a key may ask of the catalogue while it is rendered. The answers are remembered, because the page must be rendered again when one of them changes.
import type { User } from '../../domain/api/schema.ts'
import type { Catalogue } from '../../domain/catalogue/catalogue.ts'
import { TAGGED } from './tagged.ts'

/** What a page was told, by its question: `user acme`, `tag code`. */
export type PageFacts = Record<string, string>

type Profile = Omit<User, 'repos' | 'repos_count'>

/**
 * Makes a view of the catalogue that notes what is asked of it: the hub's address, whether an owner or a tag has a page, and an owner's profile.
 *
 * @param facts takes up every question with its answer
 * @returns a catalogue that throws when anything else is asked of it, because a page gets whatever else it shows as props, which its key covers
 */
export function viewForPage(catalogue: Catalogue, facts: PageFacts): Catalogue {
  const note = (question: string) => {
    facts[question] ??= answerFact(catalogue, question)
    return facts[question]
  }
  const users = {
    has: (handle: string) => note(`user ${handle}`) !== 'null',
    get: (handle: string): Profile | undefined => {
      const profile: Profile | null = JSON.parse(note(`user ${handle}`))
      return profile === null ? undefined : onlyKnown(profile, 'a user')
    },
  }
  const tagged = { has: (tag: string) => note(`tag ${tag}`) === 'true' }
  const parts = { baseUrl: catalogue.baseUrl, users: onlyKnown(users, 'users'), [TAGGED]: onlyKnown(tagged, 'tags') }
  return onlyKnown(parts, 'the catalogue') as unknown as Catalogue
}

/** Whether every question would be answered as it was. */
export function areFactsUnchanged(catalogue: Catalogue, facts: PageFacts): boolean {
  return Object.entries(facts).every(([question, answer]) => answerFact(catalogue, question) === answer)
}

function answerFact({ users, tags }: Catalogue, question: string): string {
  const [kind, name = ''] = question.split(' ')
  if (kind === 'tag') return String(namesOf(tags).has(name))
  const user = users.get(name)
  if (!user) return 'null'
  const { handle, name: title, bio, website, avatar_url, html_url } = user
  const profile: Profile = { handle, name: title, bio, website, avatar_url, html_url }
  return JSON.stringify(profile)
}

const names = new WeakMap<object, ReadonlySet<string>>()

function namesOf(tags: Catalogue['tags']): ReadonlySet<string> {
  const known = names.get(tags) ?? new Set(tags.map(({ name }) => name))
  names.set(tags, known)
  return known
}

/** Throws when a page asks for what is not there. With `undefined` the page would show less, and nobody would notice. */
function onlyKnown<Part extends object>(part: Part, what: string): Part {
  return new Proxy(part, {
    get(target, key, receiver) {
      if (!(key in target) && key !== 'then' && typeof key === 'string')
        throw new Error(
          `A page with a key asks for ${key} of ${what} while it is made. Hand it over as a prop, where its paths are listed.`,
        )
      return Reflect.get(target, key, receiver)
    },
  })
}
