// Writes the chosen version and the reader's values into the commands of a prompt page.
import { formatSelected, parseChoice, type Selector } from '../prompt/select-version.ts'

const select = document.querySelector<HTMLSelectElement>('#choice')
const write = () => {
  const choice = parseChoice(select?.value ?? '')
  for (const part of document.querySelectorAll<HTMLElement>('[data-selector]'))
    part.textContent = formatSelected(part.dataset.selector as Selector, choice)
}
select?.addEventListener('change', write)
// The browser restores what was chosen when a reader returns to the page.
addEventListener('pageshow', () => select && write())

/** Shows values in the commands. @param values by name; an empty one is shown as a gap */
export function writeValues(values: Readonly<Record<string, string>>): void {
  for (const part of document.querySelectorAll<HTMLElement>('.use [data-value]')) {
    const value = Object.hasOwn(values, part.dataset.value ?? '') ? values[part.dataset.value ?? ''] : undefined
    const quote = part.textContent.slice(0, 1)
    part.dataset.quote ??= quote
    part.textContent = quoteValue(value ?? '…', part.dataset.quote)
  }
}

/** A JSON string is also a literal of TypeScript and of Python. */
const quoteValue = (value: string, quote: string) =>
  /['"\\\p{Cc}]/u.test(value) ? JSON.stringify(value) : quote + value + quote
