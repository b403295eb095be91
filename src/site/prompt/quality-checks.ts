// Defines the quality checks of a prompt. Each check is true or false and links to its evidence.

import type { Repository, VersionRecord, VersionSummary } from '../../domain/api/schema.ts'
import { countOf } from '../../domain/text/count-of.ts'

interface TrustFact {
  isGood: boolean
  words: string
  /** A link to the evidence, relative to the page. */
  evidence?: string | undefined
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
  const later = versions.slice(0, -1)
  const explained = later.filter(({ changelog }) => changelog !== '').length
  const yanked = versions.filter(({ yanked }) => yanked).length
  const proven = versions.filter(({ provenance }) => provenance !== null).length
  const page = `/${repository.full_name}`
  const facts: TrustFact[] = []
  const add = (isGood: boolean, words: string, evidence?: string) => facts.push({ isGood, words, evidence })
  if (repository.readme === '') add(false, 'No readme')
  else add(true, 'Readme', `${page}#readme`)
  if (variables.length === 1) {
    add(described === 1, `Variable ${described ? '' : 'not '}described`, '#variables')
    add(shown === 1, `Variable ${shown ? 'has an' : 'has no'} example`, '#variables')
  } else if (variables.length > 1) {
    add(described === variables.length, `${described} of ${variables.length} variables described`, '#variables')
    add(shown === variables.length, `${shown} of ${variables.length} variables with an example`, '#variables')
  }
  if (later.length === 1)
    add(explained === 1, `${explained ? 'Changelog' : 'No changelog'} for the last change`, `${page}#versions`)
  else if (later.length > 1)
    add(explained === later.length, `${explained} of ${later.length} changes with a changelog`, `${page}#versions`)
  add(
    record.provenance !== null,
    record.provenance ? 'Published by a verified CI run' : 'Published with a token or by pull request',
    proven > 0 ? `${page}#versions` : '/docs/trusted-publishing',
  )
  add(
    yanked === 0,
    yanked === 0 ? 'No yanked versions' : `${yanked} of ${countOf(versions.length, 'version')} yanked`,
    `${page}#versions`,
  )
  add(
    unseen === 0,
    unseen === 0 ? 'No hidden characters' : `${countOf(unseen, 'hidden character')}, shown in the text`,
    '#prompt',
  )
  return facts
}
