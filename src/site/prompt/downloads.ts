// Lists the formats in which a version can be downloaded, with the fields that each format loses.

import { EXPORT_FORMATS, type ExportFormat, listLost } from '../../domain/api/export-formats.ts'
import type { Repository, VersionRecord } from '../../domain/api/schema.ts'
import { mustBeGiven } from '../../domain/content/filling.ts'
import { isChatMessage } from '../../domain/values/chat.ts'
import { labelsAt } from '../../domain/values/label-target.ts'

/** Lists the formats that support a version, with the fields that each loses, as in `Export-Lost`. A format may still reject content that contains the format's own syntax; the response says why. */
export function listDownloads(repository: Repository, record: VersionRecord) {
  const { name, full_name, title, description, tags, license } = repository
  const { version, variables, parameters, messages, skill, files } = record
  const labels = labelsAt(repository.labels, version)
  const refused = {
    chat: messages !== null,
    history: messages?.some((message) => !isChatMessage(message)) ?? false,
    'no skill': skill === null,
    'needs values': variables.some(mustBeGiven),
  }
  return (Object.keys(EXPORT_FORMATS) as ExportFormat[])
    .filter((format) => EXPORT_FORMATS[format].refuses.every((kind) => !refused[kind]))
    .map((format) => ({
      title: EXPORT_FORMATS[format].title,
      file: EXPORT_FORMATS[format].file.replace('{name}', name),
      address: `/api/v1/repos/${full_name}/versions/${version}/export/${format}`,
      loses: listLost(format, { title, description, tags, license, parameters, variables, files, labels }),
    }))
}
