// Shows problems and suggestions beside their fields while the user types, judged by the same code as on the server.

import { countOf } from '../../domain/text/count-of.ts'
import { showProblem } from '../../site/client/field-problem.ts'
import type { JudgedForm, judgeForm } from '../form/judge-form.ts'
import type { Suggestion } from '../form/suggestions.ts'
import { type FormBase, fieldOfProblem } from '../form/version-form.ts'
import { readValues } from './draft.ts'

/** Delay between the last keystroke and the check. */
const CHECKED_MS = 600

/** Starts the checks. @param onContentProblem is called with what is wrong with the text */
export function startLiveChecks(form: HTMLFormElement, onContentProblem: (words: string) => void): void {
  const progress = form.querySelector<HTMLElement>('[data-progress]')
  const [owner = '', name = ''] = (form.dataset.base ?? '').split('/')
  const base: FormBase | undefined =
    name === '' ? undefined : { repository: { owner, name, license: null, readme: '' }, content: '', variables: [] }
  const elementsOf = (attribute: string) => [...form.querySelectorAll<HTMLElement>(`[data-${attribute}]`)]
  // A field that nobody has visited yet says nothing.
  const visited = new Set(
    elementsOf('field').flatMap(({ dataset, innerHTML }) =>
      innerHTML.includes('aria-invalid') && dataset.field ? [dataset.field] : [],
    ),
  )
  let checking: number | undefined
  let judge: typeof judgeForm | undefined

  const isVisited = (field: string) => {
    const [, variable] = /^(variable\.\w+)\./.exec(field) ?? []
    return visited.has(field) || (variable !== undefined && visited.has(`${variable}.type`))
  }
  const show = ({ problems, suggestions, form: { variables } }: JudgedForm) => {
    const names = variables.map((variable) => variable.name)
    const placed = problems.map(({ key, message }) => ({ field: fieldOfProblem(key, names), message }))
    for (const { dataset } of elementsOf('field')) {
      const field = dataset.field ?? ''
      const words = isVisited(field)
        ? placed.filter((one) => one.field === field).map(({ message }) => say(message))
        : []
      showProblem(field, words.join(' '))
      if (field === 'content') onContentProblem(words.join(' '))
    }
    for (const element of elementsOf('suggestion')) {
      const field = element.dataset.suggestion ?? ''
      const isShown = isVisited(field) || (field === 'name' && isVisited('title')) || field === 'format'
      showSuggestion(element, isShown ? suggestions.find((one) => one.field === field) : undefined)
    }
    const count = placed.filter(({ field }) => isVisited(field)).length
    const words = count > 0 ? countOf(count, 'problem') : 'Not checked yet'
    if (progress && progress.textContent !== words) progress.textContent = words
  }
  const check = async () => {
    judge ??= await (await import('./judge.ts')).loadJudge()
    show(judge(readValues(form), base))
  }
  const later = (event: Event) => {
    if (event.target instanceof HTMLElement && 'name' in event.target) visited.add(String(event.target.name))
    clearTimeout(checking)
    checking = window.setTimeout(() => check().catch(reportError), CHECKED_MS)
  }
  form.addEventListener('input', later)
  form.addEventListener('change', later)
}

const say = (message: string) => `${message.charAt(0).toUpperCase()}${message.slice(1).replace(/[.]?$/, '.')}`

function showSuggestion(place: HTMLElement, suggestion: Suggestion | undefined): void {
  if (place.textContent === (suggestion?.label ?? '')) return
  place.replaceChildren()
  if (!suggestion) return
  const { field, value, label, step } = suggestion
  const button = Object.assign(document.createElement('button'), {
    type: 'submit',
    className: 'small',
    textContent: label,
    ...(step === undefined ? { name: 'apply', value: field } : { name: 'step', value: step }),
  })
  if (step === undefined) button.dataset.correction = value
  place.append(button)
}
