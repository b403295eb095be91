// Shows the fields of the variables while their placeholders are typed.

import { findVariableNames } from '../../domain/content/placeholders.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { Format } from '../../domain/values/chat.ts'

/** Opens the list of variables. Fields of a variable that disappears are kept, in case that it returns. @returns a function that shows the fields of exactly the variables of a text */
export function openVariableList(form: HTMLFormElement): (content: string, format: Format) => void {
  const list = form.querySelector<HTMLElement>('[data-variables]')!
  const template = form.querySelector<HTMLTemplateElement>('[data-variable-template]')!
  const nothing = form.querySelector<HTMLElement>('[data-no-variables]')!
  const spoken = form.querySelector<HTMLElement>('[data-variable-names]')!
  const placeholder = template.dataset.variableTemplate!
  const known = new Map<string, HTMLElement>()
  let names: string[] = []
  const create = (name: string) => {
    const holder = document.createElement('div')
    // The name consists of letters, digits and underscores.
    holder.innerHTML = template.innerHTML.replaceAll(placeholder, name)
    return holder.firstElementChild as HTMLElement
  }
  return (content, format) => {
    const wanted = findVariableNames({ content, format }).slice(0, LIMITS.variablesPerVersion)
    if (wanted.join() === names.join()) return
    const gone = names.filter((name) => !wanted.includes(name))
    const added = wanted.filter((name) => !names.includes(name))
    for (const name of added) if (!known.has(name)) known.set(name, create(name))
    // A placeholder that is renamed keeps what was typed for it.
    const [old, renamed] = [gone[0], added[0]]
    if (old !== undefined && renamed !== undefined && gone.length === 1 && added.length === 1)
      copyValues(known.get(old)!, known.get(renamed)!, old, renamed)
    names = wanted
    list.replaceChildren(...wanted.map((name) => known.get(name)!))
    nothing.hidden = wanted.length > 0
    spoken.textContent = wanted.length === 0 ? '' : `Variables: ${wanted.join(', ')}`
  }
}

/** Copies the values of a variable's fields to those of another, unless something was typed there. */
function copyValues(from: HTMLElement, to: HTMLElement, old: string, renamed: string): void {
  const fieldsOf = (fields: HTMLElement) => [
    ...fields.querySelectorAll<HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>('[name]'),
  ]
  if (fieldsOf(to).some(({ type, value }) => (type === 'text' || type === 'textarea') && value !== '')) return
  for (const field of fieldsOf(from)) {
    const name = field.name.replace(`variable.${old}.`, `variable.${renamed}.`)
    const target = fieldsOf(to).find((one) => one.name === name)
    if (!target) continue
    target.value = field.value
    if (target instanceof HTMLInputElement && field instanceof HTMLInputElement) target.checked = field.checked
  }
}
