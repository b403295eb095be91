// The version that the editor's form describes: filled in from the start of the page, and read as what the API is asked.

import type { CheckAnswer } from '../../catalogue/published/route-schemas.ts'
import type { VersionRecord } from '../../domain/api/schema.ts'
import { cutSource } from '../../domain/compose/include-lines.ts'
import type { ValueProblem } from '../../domain/text/problems.ts'
import { isName } from '../../domain/values/names.ts'
import { formBaseOf, formOf } from '../form/composed-form.ts'
import type { PastedFile } from '../form/pasted-file.ts'
import { emptyForm, readVersionForm, requestsOf, splitTags, type VersionForm } from '../form/version-form.ts'
import type { EditorStart } from '../views.ts'
import type { Refusal } from './api.ts'
import type { Wanted } from './check.ts'
import type { CodeField } from './code-field.ts'
import { isField, readValues, setField } from './fields.ts'
import { openVariableList } from './variable-list.ts'

/** Fills in a form, and returns what reads and writes it. */
export function openEdited(form: HTMLFormElement, code: CodeField, start: EditorStart) {
  const { owners, prompt, source } = start
  let { base } = start
  let expected = base?.version ?? ''
  const shown = source ?? base
  const before = shown ? cutSource(shown) : ''
  const forkedFrom = !base && source ? `${source.full_name}@${source.version}` : ''
  const formBase = base && prompt && formBaseOf(prompt, shown!)
  const showFieldsOf = openVariableList(form)
  let files: Promise<readonly object[]> | undefined

  const read = (): VersionForm => {
    const { owner = '', name = '' } = base ? prompt! : {}
    const form_ = readVersionForm({ ...readValues(form), expected, forked_from: forkedFrom }, before)
    return base ? { ...form_, owner, name } : form_
  }
  const showVariables = () => {
    const { content, format } = read()
    showFieldsOf(content, format)
  }
  const set = (name: string, value: string) => {
    if (name === 'content') code.setText(value)
    else setField(form, name, value)
  }
  const fill = ({ variables, content, compose, allowBreaking, ...fields }: Partial<VersionForm>) => {
    if (content !== undefined) set('content', content)
    for (const [name, value] of Object.entries(fields)) set(name, value)
    if (compose !== undefined) set('compose', compose ? 'yes' : '')
    showVariables()
    for (const { name, required, ...values } of variables ?? []) {
      for (const [key, value] of Object.entries(values)) set(`variable.${name}.${key}`, String(value))
      set(`variable.${name}.required`, required ? 'yes' : '')
    }
    for (const details of form.querySelectorAll('details'))
      details.open = [...details.querySelectorAll('textarea')].some(({ value }) => value !== '')
  }
  /** Files and the rest of a skill, so that a fork or an earlier version that becomes a new one keeps them. */
  const readUnshown = async (skill: unknown): Promise<object> => {
    if (!source?.skill || !skill) return {}
    files ??= Promise.all(source.files.map(readFile))
    const { compatibility, allowed_tools, argument_hint, metadata } = source.skill
    return { skill: { ...skill, compatibility, allowed_tools, argument_hint, metadata }, files: await files }
  }

  if (prompt && shown)
    fill({
      ...formOf(prompt, shown),
      ...(!base && { owner: owners?.[0] ?? '' }),
      ...(base && source && { changelog: `Revert to ${source.version}` }),
    })
  else fill(emptyForm(owners?.[0] ?? ''))

  return {
    read,
    set,
    showVariables,
    /** Takes over what a file states. @param derived the name that was made of the title, which a file may replace */
    fillIn(filled: NonNullable<PastedFile['filled']>, derived: string) {
      const { name } = read()
      fill({ ...filled, name: base || (name !== '' && name !== derived) ? name : (filled.name ?? name) })
    },
    restore(values: Readonly<Record<string, string>>) {
      set('format', values.format ?? 'text')
      set('content', values.content ?? '')
      showVariables()
      for (const field of form.elements)
        if (isField(field) && field.name !== '' && field.name !== 'content')
          set(field.name, values[field.name] ?? (field.type === 'checkbox' ? '' : field.value))
    },
    /** Builds the request that publishes the form. */
    async want(): Promise<Wanted> {
      const { owner, name } = read()
      const { publish } = requestsOf(read(), formBase)
      return { owner, name, body: { ...publish, ...(await readUnshown(publish.skill)) } }
    },
    readDetails: () => requestsOf(read(), formBase).details,
    /** Returns what is wrong with what the API is not asked: the address, and what is no JSON. */
    findProblems(): ValueProblem[] {
      const { owner, name } = read()
      return [
        ...(owner === '' ? [{ key: 'owner', message: 'expected an owner that you are a member of' }] : []),
        ...(isName(name)
          ? []
          : [{ key: 'name', message: 'expected lower-case letters, digits and single hyphens, such as code-review' }]),
        ...requestsOf(read(), formBase).problems,
      ]
    },
    /** Returns what is wrong with the form, as a refusal says; none if it is not about the form. */
    problemsOf(refusal: Refusal | undefined): ValueProblem[] {
      const { owner, name } = read()
      if (!refusal || [0, 401, 429].includes(refusal.status) || refusal.status >= 500) return []
      if (refusal.problems.length > 0) return refusal.problems
      if (refusal.title === 'version conflict' && !base)
        return [
          {
            key: 'name',
            message: `${owner}/${name} already exists. Choose another name, or publish your text at /${owner}/${name}/edit`,
          },
        ]
      return [{ key: refusal.status === 413 ? 'content' : '', message: refusal.detail }]
    },
    /** Lists the details of the prompt that the form changes. */
    listChanges() {
      if (!prompt || !base) return []
      const { title, description, tags, license } = read()
      const all = [
        ['Title', prompt.title, title],
        ['Description', prompt.description, description],
        ['Tags', prompt.tags.join(', '), splitTags(tags).join(', ')],
        ['License', prompt.license ?? '', license],
        ['Readme', '', requestsOf(read(), formBase).details.readme === undefined ? '' : 'changed'],
      ] as const
      return all.filter(([, from, to]) => from !== to).map(([label, from, to]) => ({ label, from, to }))
    },
    /** Returns the version that the form would become, as far as a comparison shows it. */
    describe(from: VersionRecord, { would_be, composed }: CheckAnswer): VersionRecord {
      const { content, format, parameters, variables, skill } = requestsOf(read(), formBase)
        .publish as Partial<VersionRecord>
      const own = { content, variables, includes: content === from.content ? from.includes : [] }
      const { files: given } = shown ?? from
      return {
        ...from,
        ...(composed ?? own),
        format,
        parameters,
        skill,
        files: skill ? given : [],
        version: would_be,
      } as VersionRecord
    },
    /** Goes on from a version that somebody else has published. */
    rebase(theirs: VersionRecord) {
      base = theirs
      start.base = theirs
      expected = theirs.version
    },
    expect(version: string) {
      expected = version
    },
  }
}

/** Reads a file of a skill. */
async function readFile({ path, url }: VersionRecord['files'][number]): Promise<{ path: string; base64: string }> {
  const answer = await fetch(new URL(url).pathname)
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
  const reader = new FileReader()
  const read = new Promise((resolve) => reader.addEventListener('load', resolve))
  reader.readAsDataURL(await answer.blob())
  await read
  return { path, base64: String(reader.result).replace(/^[^,]*,?/, '') }
}
