// Records of a version and its prompt whose texts are all one text.
import { addressesBelow } from '../../src/domain/api/data-paths.ts'
import type { Repository, VersionRecord } from '../../src/domain/api/schema.ts'
import { describeRepository, recordVersion, summariseVersion } from '../../src/domain/catalogue/repository-records.ts'
import type { RepositoryEntry, VersionEntry } from '../../src/domain/content/content-tree.ts'
import { undeclaredVariable } from '../../src/domain/content/prompt-file.ts'
import type { Format } from '../../src/domain/values/chat.ts'
import { measureFile } from '../../src/files/measure.ts'
import { anIndex, aRepository, aVersion } from '../fixtures/records.ts'

export const ADDRESSES = addressesBelow('https://hub.test')
export const VARIABLES = [undeclaredVariable('a'), undeclaredVariable('b')]

const inFormat = (text: string, format: Format) =>
  format === 'chat' ? `{{role "user"}}\n${text}\n{{history}}\n${text}` : text

export function versionOf(text: string, format: Format, version = '1.0.0'): VersionEntry {
  const content = inFormat(text, format)
  return aVersion(version, { content, format, changelog: text, variables: VARIABLES, parameters: { a: text } })
}

export const indexOf = (text: string) => anIndex({ title: text, description: text, readme: text })

export const filesOf = (text: string) => [
  ...Array.from({ length: 50 }, (_, at) => measureFile(`a/${at}-${text.slice(0, 200)}`, Buffer.from('a'))),
  measureFile('a.md', Buffer.from(text)),
]

export function recordOf(text: string, format: Format): VersionRecord {
  const skill = format === 'text' ? { skill: { description: text, license: null } } : {}
  return recordVersion({ ...versionOf(text, format), ...skill }, null, { owner: 'acme', name: 'a' }, ADDRESSES)
}

export function repositoryOf(text: string, format: Format): Repository {
  const latest = versionOf(text, format)
  const file = indexOf(text)
  const versions = [summariseVersion(latest, file, ADDRESSES.version('acme', 'a', '1.0.0'), new Map())]
  return describeRepository({ owner: 'acme', name: 'a', file, versions, latest, results: [], stats: null }, ADDRESSES)
}

/** A prompt with two versions, both of the text. */
export const promptOf = (text: string, format: Format): RepositoryEntry =>
  aRepository('acme/a', {
    file: indexOf(text),
    versions: [versionOf(`${text}a`, format, '1.1.0'), versionOf(text, format)],
  })
