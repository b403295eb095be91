// Renders a field of the editor with its label, its hint, what is wrong with it, and a suggestion.

import type { ValueProblem } from '../../src/domain/text/problems.ts'
import { type Html, html } from '../account/html.ts'
import { sayProblem } from '../account/words-for-people.ts'
import type { Suggestion } from './form/suggestions.ts'
import { fieldOfProblem, placeOfField } from './form/version-form.ts'

/** A problem at its field. */
interface FieldProblem {
  /** The name of the field; empty if the problem concerns no field. */
  field: string
  /** The problem for a list of all problems: with the field's label. */
  sentence: string
  /** The problem beside the field. */
  words: string
}

/** What the fields of a form say. */
export interface FieldNotes {
  /** In the order of the page. */
  problems: readonly FieldProblem[]
  suggestions: readonly Suggestion[]
}

/** Notes of a form in which nothing is wrong. */
export const NO_NOTES: FieldNotes = { problems: [], suggestions: [] }

/** Places problems at their fields, in the order of the page. @param variables the names of the variables, in order */
export function placeProblems(problems: readonly ValueProblem[], variables: readonly string[]): FieldProblem[] {
  return problems
    .map((problem) => ({
      field: fieldOfProblem(problem.key, variables),
      sentence: sayProblem(problem, variables),
      words: sayProblem({ key: '', message: capitalise(problem.message) }),
    }))
    .sort((a, b) => placeOfField(a.field, variables) - placeOfField(b.field, variables))
}

const capitalise = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** A field to render. */
interface Field {
  /** Its name and its ID. */
  name: string
  label: string
  /** What is said below it. */
  hint?: Html | string
  isWide?: boolean
  /** Renders the control with these attributes. */
  control: (attributes: Html) => Html
}

/** Renders a field. */
export function renderField({ name, label, hint, isWide = false, control }: Field, notes: FieldNotes): Html {
  const hintId = hint === undefined ? '' : `${name}-hint `
  const isFirst = notes.problems.find(({ field }) => field !== '')?.field === name
  const words = notes.problems.filter(({ field }) => field === name).map((one) => one.words)
  const attributes = html`id="${name}" name="${name}" aria-describedby="${hintId}${name}-wrong"${words.length > 0 && html` aria-invalid="true"`}${isFirst && html` autofocus`}`
  return html`
<div class="field${isWide ? ' wide' : ''}" data-field="${name}"><label for="${name}">${label}</label>
  ${control(attributes)}
  ${hint !== undefined && html`<p class="quiet" id="${name}-hint">${hint}</p>`}
  ${renderNotes(name, words, notes)}</div>`
}

/** Renders what is wrong with a field; a script fills in the same elements while the user types. */
export function renderNotes(name: string, words: readonly string[], { suggestions }: FieldNotes): Html {
  return html`<p class="wrong" id="${name}-wrong"${words.length === 0 && html` hidden`}>${words.join(' ')}</p>
  <p class="suggestion" data-suggestion="${name}">${suggestions.filter(({ field }) => field === name).map(renderSuggestion)}</p>`
}

function renderSuggestion({ field, label, step }: Suggestion): Html {
  return step === 'recognise'
    ? html`<button class="small" type="submit" name="step" value="recognise">${label}</button>`
    : html`<button class="small" type="submit" name="apply" value="${field}">${label}</button>`
}

/** Returns whether something is wrong with one of the fields, so that they must be visible. */
export function hasProblem({ problems }: FieldNotes, name: string): boolean {
  return problems.some(({ field }) => field === name)
}
