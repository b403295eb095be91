// Exports versions in other tools' formats.

import { HubError } from '../../domain/api/errors.ts'
import { EXPORT_FORMATS, type ExportFormat, isExportFormat, type WriteResult } from '../../domain/api/export-formats.ts'
import type { Repository, VersionRecord } from '../../domain/api/schema.ts'
import { LIMITS } from '../../domain/limits.ts'
import { printable } from '../../domain/text/printable.ts'
import type { RouteHandler } from './answers.ts'
import { repositoryNotFound, versionNotFound } from './not-found.ts'
import { encode, findRepository, findVersion } from './records.ts'

/** Writes a version in a format. */
type ExportVersion = (format: ExportFormat, repository: Repository, record: VersionRecord) => WriteResult

/** The response is cached like a repository, not permanently like a version, because the file contains the title, description, tags, license and labels, which can change. @param load imports the converters, which only a valid request needs */
export const openExport =
  (load: () => Promise<ExportVersion>): RouteHandler =>
  async ({ owner = '', name = '', version = '', format = '' }, _query, hub) => {
    if (!isExportFormat(format))
      throw new HubError(
        'not_found',
        `There is no format ${printable(format)}. The formats are ${Object.keys(EXPORT_FORMATS).join(', ')}.`,
      )
    const repository = (await findRepository(owner, name, hub))?.value()
    if (!repository) throw await repositoryNotFound(owner, name, hub)
    const record = (await findVersion(owner, name, version, hub))?.value()
    if (!record) throw await versionNotFound(owner, name, version, hub)
    const written = await hub.runLong(await load(), format, repository, record)
    if (written.refused) throw notConvertible(format, written.refused)
    const { file, lost } = written
    return {
      bytes: encode(file.text),
      mediaType: 'text/plain',
      hasDigest: true,
      headers: {
        'Content-Type': file.mediaType,
        'Content-Disposition': `attachment; filename="${file.name}"`,
        ...(lost.length > 0 && { 'Export-Lost': lost.join(', ') }),
        'X-Prompt-Version': version,
      },
    }
  }

/** Returns the error for a version that cannot be exported in a format. */
function notConvertible(
  format: string,
  reasons: readonly { field: string; line: number | null; message: string }[],
): HubError {
  const said = reasons
    .slice(0, LIMITS.problemsNamed)
    .map(({ field, line, message }) => `${field}${line === null ? '' : ` (line ${line})`}: ${printable(message)}`)
  const more = reasons.length > said.length ? `; and ${reasons.length - said.length} more` : ''
  return new HubError('not_convertible', `This version cannot be exported as ${format}. ${said.join('; ')}${more}.`)
}
