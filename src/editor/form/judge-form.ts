// Judges the editor's form with the parsers of the API, so that every problem of a submission is found at once. The server and the browser use the same code.
import { HubError } from '../../domain/api/errors.ts'
import { checkNewVersion } from '../../domain/content/new-version-rules.ts'
import { readChangeBody } from '../../domain/managing/request.ts'
import { measureSize, nameLines, readPublishBody } from '../../domain/publishing/request.ts'
import type { ValueProblem } from '../../domain/text/problems.ts'
import { isName, isOwner } from '../../domain/values/names.ts'
import { applySuggestion, type Suggestion, suggestCorrections } from './suggestions.ts'
import { type FormBase, readVersionForm, requestsOf, type SentForm, type VersionForm } from './version-form.ts'

/** A submitted form, and what is wrong with it. */
export interface JudgedForm {
  form: VersionForm
  /** The body of the publish, without `dry_run`. */
  publish: Readonly<Record<string, unknown>>
  /** The body of the change after it; empty if there is nothing to change. */
  details: Readonly<Record<string, unknown>>
  /** Every problem that can be found without git. */
  problems: ValueProblem[]
  suggestions: Suggestion[]
}

/**
 * Judges a submitted form.
 *
 * @param base the latest version when the form was opened; undefined for a new prompt
 * @param apply the field whose suggestion is accepted
 * @param before the content that the form was opened with; for a fork, that of the original
 */
export function judgeForm(sent: SentForm, base?: FormBase, apply?: string, before = base?.content ?? ''): JudgedForm {
  const read = readVersionForm(sent, before)
  const { owner, name } = base?.repository ?? read
  const corrected = { ...read, owner, name }
  const form = apply === undefined ? corrected : applySuggestion(corrected, apply)
  const { publish, details, problems } = requestsOf(form, base)
  if (!isOwner(form.owner)) problems.push({ key: 'owner', message: 'expected one of your owners' })
  if (!isName(form.name))
    problems.push({
      key: 'name',
      message: 'expected lower-case letters, digits and single hyphens, such as code-review',
    })
  problems.push(
    ...problemsOf(() => {
      const { variables = [], ...parsed } = readPublishBody(JSON.stringify(publish), measureSize)
      const found = nameLines(checkNewVersion({ ...parsed, variables }), parsed.content)
      if (found.length > 0) throw new HubError('validation_failed', '', { problems: found })
    }, 'content'),
    ...problemsOf(() => readChangeBody({ kind: 'patch' }, JSON.stringify(details)), 'readme'),
  )
  return { form, publish, details, problems, suggestions: suggestCorrections(form) }
}

/** Returns the problems that a parser throws. @param key the field of an error that names none */
function problemsOf(parse: () => unknown, key: string): readonly ValueProblem[] {
  try {
    parse()
    return []
  } catch (thrown) {
    if (thrown instanceof HubError) return thrown.problems ?? [{ key, message: thrown.message }]
    throw thrown
  }
}
