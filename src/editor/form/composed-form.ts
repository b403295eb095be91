// Fills in the editor's form with a version: one with includes shows its source, in which each part is its include line.
import type { Repository, Variable, VersionRecord } from '../../domain/api/schema.ts'
import { ownVariables } from '../../domain/compose/compose-version.ts'
import { cutSource, divideContent, formatIncludeLine } from '../../domain/compose/include-lines.ts'
import { findVariableNames } from '../../domain/content/placeholders.ts'
import { blankFields, emptyForm, type FormBase, fieldsOf, type KnownParts, type VersionForm } from './version-form.ts'

/** Creates a form that is filled in with a version. */
export function formOf(repository: Repository, version: VersionRecord): VersionForm {
  const { owner, name, title, description, tags, license, readme } = repository
  const { format, parameters } = version
  const content = cutSource(version)
  const own = new Map(ownVariables(version).map((variable) => [variable.name, variable]))
  return {
    ...emptyForm(owner),
    owner,
    name,
    title,
    description,
    tags: tags.join(', '),
    license: license ?? '',
    readme,
    format,
    content,
    compose: isComposed(version),
    parameters: Object.keys(parameters).length === 0 ? '' : JSON.stringify(parameters, null, 2),
    variables: fieldsOfAll(own, findVariableNames({ content, format })),
    skill: version.skill?.description ?? '',
    expected: repository.latest_version ?? '',
  }
}

/** The declared variables in their order, then the placeholders that only a part declares. */
function fieldsOfAll(own: ReadonlyMap<string, Variable>, used: readonly string[]) {
  const others = used.filter((name) => !own.has(name))
  return [...Array.from(own.values(), fieldsOf), ...others.map(blankFields)]
}

const isComposed = ({ includes = [] }: Pick<VersionRecord, 'includes'>) => includes.length > 0

/** Returns what a form is compared with. @param version the version that it was filled in with */
export function formBaseOf({ owner, name, license, readme }: Repository, version: VersionRecord): FormBase {
  return { repository: { owner, name, license, readme }, content: cutSource(version), variables: version.variables }
}

/** Returns the texts that versions include, by their include lines; the first version that has a line counts. */
export function knownPartsOf(versions: readonly (VersionRecord | undefined)[]): KnownParts {
  const texts: Record<string, string> = {}
  const variables = new Map<string, Variable>()
  for (const version of versions) {
    if (!version || !isComposed(version)) continue
    for (const { text, include } of divideContent(version)) {
      if (!include || Object.hasOwn(texts, formatIncludeLine(include))) continue
      texts[formatIncludeLine(include)] = text
      for (const name of include.variables) {
        const variable = version.variables.find((one) => one.name === name)
        if (variable && !variables.has(name)) variables.set(name, variable)
      }
    }
  }
  return { texts, variables: [...variables.values()] }
}
