// Reads and writes the fields of the editor's form by their names.

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

/** Returns whether something is a field. */
export function isField(element: unknown): element is Field {
  return (
    element instanceof HTMLInputElement ||
    element instanceof HTMLTextAreaElement ||
    element instanceof HTMLSelectElement
  )
}

/** Returns the values of a form, by field name. */
export function readValues(form: HTMLFormElement): Record<string, string> {
  return Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]))
}

/** Writes a field; a checkbox is checked by any text. */
export function setField(form: HTMLFormElement, name: string, value: string): void {
  const field = form.elements.namedItem(name)
  if (field instanceof HTMLInputElement && field.type === 'checkbox') field.checked = value !== ''
  else if (isField(field)) field.value = value
}
