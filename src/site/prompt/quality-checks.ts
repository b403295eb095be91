// Defines the quality checks of a prompt. Each one is true or false and links to its evidence.

import type { Repository, VersionRecord, VersionSummary } from '../../domain/api/schema.ts'
import { countOf } from '../../domain/text/count-of.ts'

/** A fact about a prompt. */
interface TrustFact {
  isGood: boolean
  words: string
  /** A link to the evidence, relative to the page. */
  evidence?: string
}

/** Lists the quality checks of a version. @param unseen number of hidden characters in its text */
export function listQualityChecks(
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
      words: repository.readme === '' ? 'No readme' : 'Readme',
      ...(repository.readme === '' ? {} : { evidence: `/${repository.full_name}#readme` }),
    },
  ]
  if (variables.length > 0) {
    facts.push(
      {
        isGood: described === variables.length,
        words:
          variables.length === 1
            ? `Variable ${described ? '' : 'not '}described`
            : `${described} of ${variables.length} variables described`,
        evidence: '#variables',
      },
      {
        isGood: shown === variables.length,
        words:
          variables.length === 1
            ? `Variable ${shown ? 'has an' : 'without'} example`
            : `${shown} of ${variables.length} variables with an example`,
        evidence: '#variables',
      },
    )
  }
  if (later.length > 0)
    facts.push({
      isGood: explained === later.length,
      words:
        later.length === 1
          ? `${explained ? 'Changelog' : 'No changelog'} for the last change`
          : `${explained} of ${later.length} changes with a changelog`,
      evidence: `/${repository.full_name}#versions`,
    })
  facts.push(
    {
      isGood: record.provenance !== null,
      words: record.provenance ? 'Published by a verified CI run' : 'Published with a token or by pull request',
      ...(proven > 0 ? { evidence: `/${repository.full_name}#versions` } : { evidence: '/docs/trusted-publishing' }),
    },
    {
      isGood: yanked === 0,
      words: yanked === 0 ? 'No yanked versions' : `${yanked} of ${countOf(versions.length, 'version')} yanked`,
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
