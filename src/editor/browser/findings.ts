// Shows what a check found: problems at their fields, suggestions as buttons, warnings with a way to their line, and what publishing would change.
import { sayProblem, sayWarning } from '../../account/words-for-people.ts'
import type { CheckAnswer } from '../../catalogue/published/route-schemas.ts'
import type { VersionRecord } from '../../domain/api/schema.ts'
import { countOf } from '../../domain/text/plain-text.ts'
import type { ValueProblem } from '../../domain/text/problems.ts'
import { showProblem } from '../../site/client/field-problem.ts'
import type { Suggestion } from '../form/suggestions.ts'
import { fieldOfProblem } from '../form/version-form.ts'
import type { CodeField } from './code-field.ts'

/** A number in the words of a problem or a warning about a breaking change. */
const NUMBER = /\d+\.\d+\.\d+/g

/** A sentence of the list, and what it is about. */
interface Finding {
  sentence: string
  field: string
  line: number | undefined
  isProblem: boolean
  /** The number that fits a breaking change. */
  wanted?: string | undefined
}

/** What the page shows of a check. */
export interface Shown {
  problems: readonly ValueProblem[]
  answer?: CheckAnswer | undefined
  suggestions: readonly Suggestion[]
  /** The names of the variables in the form, in order. */
  variables: readonly string[]
  /** The changed details of the prompt. */
  changes: readonly { label: string; from: string; to: string }[]
  /** The latest version, and what the new one would be. */
  compared?: { from: VersionRecord; to: VersionRecord } | undefined
}

/** Opens the places in which findings are shown. @param apply accepts a suggestion */
export function openFindings(
  form: HTMLFormElement,
  code: CodeField,
  apply: (suggestion: Pick<Suggestion, 'field' | 'value' | 'isFile'>) => void,
) {
  const part = (name: string) => form.querySelector<HTMLElement>(`[data-${name}]`)!
  const [review, list, changed, comparison] = ['review', 'findings', 'changes', 'comparison'].map(part)
  const title = document.getElementById('review-title')!
  /** A field that nobody has visited yet says nothing. */
  const visited = new Set<string>()
  let problems: Finding[] = []
  let isAll = false

  const isVisited = (field: string) => {
    const [, variable] = /^(variable\.\w+)\./.exec(field) ?? []
    return isAll || visited.has(field) || (variable !== undefined && visited.has(`${variable}.type`))
  }
  const goTo = ({ field, line }: Pick<Finding, 'field' | 'line'>) => {
    if (field === 'content') return code.focus(line)
    const target = document.getElementById(field)
    target?.closest('details')?.setAttribute('open', '')
    target?.focus()
  }
  const showFields = () => {
    for (const { dataset } of form.querySelectorAll<HTMLElement>('[data-field]')) {
      const { field = '' } = dataset
      const own = isVisited(field) ? problems.filter((one) => one.field === field) : []
      const words = own.map(({ sentence }) => sentence.replace(/^[^:]{1,200}: /, '')).join(' ')
      showProblem(field, words)
      if (field === 'content') code.setProblem(words)
    }
  }
  const buttonOf = (words: string, suggestion: Parameters<typeof apply>[0]) => {
    const button = Object.assign(document.createElement('button'), {
      type: 'button',
      className: 'small',
      textContent: words,
    })
    button.addEventListener('click', () => apply(suggestion))
    return button
  }
  const showSuggestions = (suggestions: readonly Suggestion[]) => {
    const numbers = problems
      .flatMap(({ wanted }) => wanted ?? [])
      .map((wanted) => ({ field: 'bump', value: 'auto', label: `Use ${wanted}` }))
    for (const place of form.querySelectorAll<HTMLElement>('[data-suggestion]')) {
      const own = [...suggestions, ...numbers].find(({ field }) => field === place.dataset.suggestion)
      if (place.textContent !== (own?.label ?? '')) place.replaceChildren(...(own ? [buttonOf(own.label, own)] : []))
    }
  }
  const itemOf = (finding: Finding) => {
    const item = document.createElement('li')
    const link = Object.assign(document.createElement('a'), {
      href: `#${finding.field}`,
      textContent: finding.sentence,
    })
    link.addEventListener('click', (event) => {
      event.preventDefault()
      goTo(finding)
    })
    item.append(finding.field === '' ? finding.sentence : link)
    if (finding.wanted !== undefined && !finding.isProblem)
      item.append(' ', buttonOf(`Use ${finding.wanted}`, { field: 'bump', value: 'auto' }))
    return item
  }

  return {
    visit: (field: string) => visited.add(field),
    /** Forgets what was wrong with a field that is being mended, until the next check. */
    mend(field: string) {
      problems = problems.filter((one) => one.field !== field)
      showFields()
    },
    /** Shows everything, also at fields that nobody has visited, and goes to the first problem or to the review. */
    insist() {
      isAll = true
      showFields()
      const fields = [...form.querySelectorAll<HTMLElement>('[data-field]')].map(({ dataset }) => dataset.field)
      const [first] = problems.toSorted((a, b) => fields.indexOf(a.field) - fields.indexOf(b.field))
      if (first) goTo(first)
      else title.focus()
    },
    /** @returns what to say of it in a few words */
    async show({ problems: wrong, answer, suggestions, variables, changes, compared }: Shown): Promise<string> {
      const found = wrong.map((problem) => ({
        sentence: sayProblem(problem, variables),
        field: fieldOfProblem(problem.key, variables),
        line: lineIn(problem.message),
        isProblem: true,
        wanted: problem.key === 'bump' ? problem.message.match(NUMBER)?.at(-1) : undefined,
      }))
      problems = found
      const warned = (answer?.warnings ?? []).map((warning) => ({
        sentence: sayWarning(warning, variables),
        field: fieldOfWarning(warning, variables, form),
        line: warning.line ?? undefined,
        isProblem: false,
        wanted: warning.code === 'breaking_change' ? warning.message.match(NUMBER)?.at(-1) : undefined,
      }))
      const said = [...found.filter(({ field }) => isVisited(field) || field === ''), ...warned]
      showFields()
      showSuggestions(suggestions)
      code.mark(
        said.flatMap(({ field, line, isProblem }) => (field === 'content' && line ? [{ line, isProblem }] : [])),
      )
      list!.replaceChildren(...said.map(itemOf))
      list!.hidden = said.length === 0
      changed!.replaceChildren(...changes.map(changeOf))
      changed!.hidden = changes.length === 0
      comparison!.innerHTML = ''
      if (compared && answer && !answer.unchanged) {
        const { renderComparison } = await import('../../site/prompt/render-difference.ts')
        const { impact, lines, files } = renderComparison(compared.from, compared.to)
        // `renderComparison` escapes all text.
        comparison!.innerHTML = impact + lines + files
      }
      title.textContent = titleOf(answer, compared?.from)
      review!.hidden = said.length + changes.length === 0 && (!answer || answer.unchanged)
      const count = found.filter(({ field }) => isVisited(field)).length
      const words = [
        ...(count > 0 ? [countOf(count, 'problem')] : []),
        ...(warned.length > 0 ? [countOf(warned.length, 'warning')] : []),
      ]
      return words.join(', ')
    },
  }
}

function titleOf(answer: CheckAnswer | undefined, from: VersionRecord | undefined): string {
  if (!answer) return 'Not ready yet'
  if (answer.unchanged) return 'Changed details'
  return from ? `${from.version} → ${answer.would_be}` : `Version ${answer.would_be}`
}

/** Returns the field that a warning is about: its message starts with the field's path. */
function fieldOfWarning(
  { message, line, code }: CheckAnswer['warnings'][number],
  variables: readonly string[],
  form: HTMLFormElement,
): string {
  if (line !== null) return 'content'
  if (code === 'breaking_change') return 'bump'
  const [, key = ''] = /^([a-z_]+(?:\.[\w.]+)?): /.exec(message) ?? []
  const field = fieldOfProblem(key, variables)
  return form.elements.namedItem(field) ? field : ''
}

function changeOf({ label, from, to }: Shown['changes'][number]): HTMLElement {
  const [row, term, details] = ['div', 'dt', 'dd'].map((name) => document.createElement(name))
  term!.textContent = label
  const text = (name: 'del' | 'ins', words: string) =>
    Object.assign(document.createElement(name), { dir: 'auto', textContent: words })
  details!.append(...(from === '' ? [] : [text('del', from), ' ']), text('ins', to || 'none'))
  row!.append(term!, details!)
  return row!
}

/** Returns the line that a problem names. */
function lineIn(words: string): number | undefined {
  const [, line] = /\bline (\d+)/i.exec(words) ?? []
  return line === undefined ? undefined : Number(line)
}
