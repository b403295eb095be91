// The facts by which a reader judges a prompt: each is true or not, and each leads to where it can be seen.

import type { Repository, VersionRecord, VersionSummary } from '../../domain/api/schema.ts'
import { countOf } from '../../domain/text/count-of.ts'

/** A fact about a prompt. */
interface TrustFact {
  isGood: boolean
  words: string
  /** Where it can be seen, from the page. */
  evidence?: string
}

/** What there is to know before a version is relied on. @param unseen how many characters its text holds that a reader cannot see */
export function listTrustFacts(
  { repository, versions }: { repository: Repository; versions: readonly VersionSummary[] },
  record: VersionRecord,
  unseen: number,
): TrustFact[] {
  const { variables } = record
  const described = variables.filter(({ description }) => description !== '').length
  const shown = variables.filter(({ example }) => example !== null && example !== '').length
  const later = versions.filter((_, index) => index < versions.length - 1)
  const explained = later.filter(({ changelog }) => changelog !== '').length
  const yanked = versions.filter(({ yanked }) => yanked).length
  const proven = versions.filter(({ provenance }) => provenance !== null).length
  const facts: TrustFact[] = [
    {
      isGood: repository.readme !== '',
      words: repository.readme === '' ? 'No readme' : 'A readme',
      ...(repository.readme === '' ? {} : { evidence: `/${repository.full_name}#readme` }),
    },
  ]
  if (variables.length > 0) {
    facts.push(
      {
        isGood: described === variables.length,
        words: `${described} of ${countOf(variables.length, 'variable')} described`,
        evidence: '#variables',
      },
      {
        isGood: shown === variables.length,
        words: `${shown} of ${countOf(variables.length, 'variable')} with an example`,
        evidence: '#variables',
      },
    )
  }
  if (later.length > 0)
    facts.push({
      isGood: explained === later.length,
      words: `${explained} of ${countOf(later.length, 'change')} explained`,
      evidence: `/${repository.full_name}#versions`,
    })
  facts.push(
    {
      isGood: record.provenance !== null,
      words: record.provenance
        ? 'Published by a CI run that proved itself'
        : 'Published with a token or by pull request',
      ...(proven > 0 ? { evidence: `/${repository.full_name}#versions` } : { evidence: '/docs/trusted-publishing' }),
    },
    {
      isGood: yanked === 0,
      words: yanked === 0 ? 'No version withdrawn' : `${yanked} of ${countOf(versions.length, 'version')} withdrawn`,
      evidence: `/${repository.full_name}#versions`,
    },
    {
      isGood: unseen === 0,
      words: unseen === 0 ? 'No hidden characters' : `${countOf(unseen, 'hidden character')}, shown in the text`,
      evidence: '#prompt',
    },
  )
  return facts
}
