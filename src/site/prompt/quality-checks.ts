// Defines the one list of checks of a prompt: what the hub checked, what the publisher proved, and what others reported. Each is true or false and links to its evidence.

import type { Repository, Result, VersionRecord, VersionSummary } from '../../domain/api/schema.ts'
import { describeOutcome } from '../../domain/catalogue/results.ts'
import { countOf } from '../../domain/text/plain-text.ts'

export interface TrustFact {
  /** Who found it out: the hub, the publisher with a proof, or somebody else. */
  by: 'hub' | 'publisher' | 'others'
  isGood: boolean
  words: string
  /** A link to the evidence, relative to the page. */
  evidence?: string | undefined
}

/** Maximum number of advisories that the list quotes. */
const MAX_ADVISORIES = 5
/** Maximum number of test results that the list quotes. */
const MAX_RESULTS = 5

/** Lists the checks of a version. @param results those of this version @param unseen number of hidden characters in its text */
export function listQualityChecks(
  {
    repository,
    newest,
    results,
  }: { repository: Repository; newest: readonly VersionSummary[]; results: readonly Result[] },
  record: VersionRecord,
  unseen: number,
): TrustFact[] {
  const { variables } = record
  const described = variables.filter(({ description }) => description !== '').length
  const shown = variables.filter(({ example }) => example !== null && example !== '').length
  const { versions_count } = repository
  const later = newest.slice(0, versions_count - 1)
  const explained = later.filter(({ changelog }) => changelog !== '').length
  const yanked = versions_count - repository.versions.length
  const page = `/${repository.full_name}`
  const facts: TrustFact[] = []
  const add = (isGood: boolean, words: string, evidence?: string, by: TrustFact['by'] = 'hub') =>
    facts.push({ by, isGood, words, evidence })
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
    add(
      explained === later.length,
      `${explained} of ${newest.length < versions_count ? 'the newest ' : ''}${later.length} changes with a changelog`,
      `${page}#versions`,
    )
  add(
    yanked === 0,
    yanked === 0 ? 'No yanked versions' : `${yanked} of ${countOf(versions_count, 'version')} yanked`,
    `${page}#versions`,
  )
  add(
    unseen === 0,
    unseen === 0 ? 'No hidden characters' : `${countOf(unseen, 'hidden character')}, shown in the text`,
    '#prompt',
  )
  const { attestations, provenance } = record
  for (const { repository: source, workflow, sha } of attestations)
    add(true, `Built by ${source}, workflow ${fileOf(workflow)}, commit ${sha.slice(0, 7)}`, '#proof', 'publisher')
  if (attestations.length === 0)
    add(
      provenance !== null,
      provenance
        ? `Published by a job of ${provenance.repository}, without a signature`
        : 'Published by a person, or with a token',
      '/docs/trust#the-publisher-proved',
      'publisher',
    )
  const isPassed = ({ passed, failed }: Result) => failed === 0 && passed > 0
  for (const result of results.slice(0, MAX_RESULTS))
    add(isPassed(result), `${result.suite}: ${describeOutcome(result)}`, '#results', 'others')
  if (results.length > MAX_RESULTS)
    add(results.every(isPassed), `All ${countOf(results.length, 'test result')}`, '#results', 'others')
  const about = repository.advisories.filter((one) => one.versions.includes(record.version))
  const source = `/api/v1/repos/${repository.full_name}`
  for (const { severity, message } of about.slice(0, MAX_ADVISORIES))
    add(false, `Advisory (${severity}): ${message}`, source, 'others')
  if (about.length > MAX_ADVISORIES)
    add(false, `All ${countOf(about.length, 'advisory', 'advisories')}`, source, 'others')
  if (about.length === 0) add(true, 'No advisory', '/docs/trust#others-reported', 'others')
  return facts
}

/** Returns the name of a workflow's file. */
const fileOf = (workflow: string) => workflow.split('@', 1)[0]!.split('/').at(-1)!
