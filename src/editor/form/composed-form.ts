// Fills in the editor's form with a version: one with includes shows its source, in which each part is its include line.
import type { Repository, Variable, VersionRecord } from '../../domain/api/schema.ts'
import { ownVariables } from '../../domain/compose/compose-version.ts'
import { cutSource } from '../../domain/compose/include-lines.ts'
import { findVariableNames } from '../../domain/content/placeholders.ts'
import { blankFields, emptyForm, type FormBase, fieldsOf, type VersionForm } from './version-form.ts'

/** What a form shows of a prompt. */
export type EditedPrompt = Pick<
  Repository,
  'owner' | 'name' | 'title' | 'description' | 'tags' | 'license' | 'readme' | 'latest_version'
>

/** Creates a form that is filled in with a version. */
export function formOf(repository: EditedPrompt, version: VersionRecord): VersionForm {
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
export function formBaseOf({ owner, name, license, readme }: EditedPrompt, version: VersionRecord): FormBase {
  return { repository: { owner, name, license, readme }, content: cutSource(version), variables: version.variables }
}
