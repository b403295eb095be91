// Exports versions in other tools' formats.

import { repositoryCacheTag } from '../../domain/api/caching.ts'
import { HubError } from '../../domain/api/errors.ts'
import { EXPORT_FORMATS, isExportFormat } from '../../domain/api/export-formats.ts'
import { matchPath } from '../../domain/api/routes.ts'
import { LIMITS } from '../../domain/limits.ts'
import { printable } from '../../domain/text/problems.ts'
import { pathOf } from '../address.ts'
import { type Connect, countRequest } from '../hub.ts'
import { methodNotAllowed, respondNotFound, respondToError } from '../refusals.ts'
import { respondToOptions, respondWith } from '../respond.ts'
import { repositoryNotFound, versionNotFound } from './answers.ts'
import { encode, findRepository, findVersion } from './records.ts'

/**
 * Handles one export request. Never throws: errors become responses.
 *
 * The response is cached like a repository, not permanently like a version, because the file contains the title, description, tags and licence, which can change.
 */
export async function handleExport(request: Request, connect: Connect): Promise<Response> {
  const path = matchPath(pathOf(request.url))
  if (path?.routes.GET?.by !== 'export') return respondNotFound(request)
  const { methods, parameters } = path
  const { owner = '', name = '', version = '', format = '' } = parameters
  const cacheTag = repositoryCacheTag(owner, name)
  try {
    if (request.method === 'OPTIONS') return respondToOptions(methods)
    if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed(request.method, methods)
    const hub = await connect()
    await countRequest(hub)
    if (!isExportFormat(format))
      throw new HubError(
        'not_found',
        `There is no format ${printable(format)}. The formats are ${Object.keys(EXPORT_FORMATS).join(', ')}.`,
      )
    const repository = (await findRepository(owner, name, hub))?.value()
    if (!repository) throw await repositoryNotFound(owner, name, hub)
    const record = (await findVersion(owner, name, version, hub))?.value()
    if (!record) throw await versionNotFound(owner, name, version, hub)
    const written = await hub.text.run('exportVersion', format, repository, record)
    if (written.refused) throw notConvertible(format, written.refused)
    const { file, lost } = written
    return respondWith(request, {
      bytes: encode(file.text),
      mediaType: 'text/plain',
      cache: 'changing',
      cacheTag,
      hasDigest: true,
      headers: {
        'Content-Type': file.mediaType,
        'Content-Disposition': `attachment; filename="${file.name}"`,
        ...(lost.length > 0 && { 'Export-Lost': lost.join(', ') }),
        'X-Prompt-Version': version,
      },
    })
  } catch (thrown) {
    return respondToError(request, thrown, cacheTag)
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
