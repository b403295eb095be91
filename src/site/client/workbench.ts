// Fills in a prompt while the reader types, using domain/content/filling.ts. Values are stored in the URL after #, in the part that browsers never send.

import { fillContent, fillMessages, mustBeGiven } from '../../domain/content/filling.ts'
import { type ChatPart, isChatMessage, splitChat } from '../../domain/values/chat.ts'
import { exactText } from '../prompt/exact-text.ts'
import { type FillingRule, fillOne } from '../prompt/fill-one.ts'
import { joinMessages } from '../prompt/open-in.ts'
import { renderText } from '../prompt/prompt-text.ts'
import { type CopyNote, copyText } from './copy.ts'
import { showProblem } from './field-problem.ts'
import { writeValues } from './install.ts'
import { keepLinks } from './open-in.ts'

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

/** Delay between the last keystroke and the URL update, because browsers reject frequent updates. */
const KEPT_MS = 300
/** The prefix of a fragment that contains values; any other fragment is an anchor on the page. */
const VALUES = '#?'

const source = document.querySelector<HTMLElement>('#content')
if (source) begin(source, document.querySelector<HTMLElement>('#fill-in'))

function begin(source: HTMLElement, form: HTMLElement | null): void {
  const content = exactText(source)
  const messages: readonly ChatPart[] =
    source.dataset.format === 'chat' ? splitChat(content) : [{ role: 'user', content }]
  const rules: FillingRule[] = JSON.parse(form?.dataset.rules ?? '[]')
  const fields = new Map(
    [...(form?.querySelectorAll<Field>('[data-variable]') ?? [])].map((field) => [field.dataset.variable ?? '', field]),
  )
  const chips = [...source.querySelectorAll<HTMLElement>('[data-chip]')].map((chip) => ({
    chip,
    name: chip.dataset.chip ?? '',
    html: chip.innerHTML,
  }))
  const progress = document.querySelector<HTMLElement>('#progress')
  const switches = [...document.querySelectorAll<HTMLButtonElement>('[data-view]')]
  const examples = document.querySelector<HTMLButtonElement>('#with-examples')
  let isFilledShown = false
  let keeping: number | undefined
  let undo: Map<string, string> | undefined

  const readValues = () =>
    Object.fromEntries([...fields].flatMap(([name, { value }]) => (value === '' ? [] : [[name, value]])))
  const fillText = () => fillContent({ content, variables: rules }, readValues(), 'lenient').value
  const fillParts = () =>
    fillMessages({ messages, variables: rules }, readValues(), 'lenient').value?.messages ?? messages
  const keepOpenIn = keepLinks(() => joinMessages(fillParts()))

  const show = () => {
    const values = readValues()
    writeValues(values)
    const texts = new Map<string, string>()
    let wrong = 0
    for (const rule of rules) {
      const { value, problems } = fillOne(rule, Object.hasOwn(values, rule.name) ? values[rule.name] : undefined)
      if (value && value.missing.length === 0) texts.set(rule.name, value.content)
      if (problems) wrong++
      showProblem(`variable-${rule.name}`, problems?.[0]?.message ?? '')
      document
        .querySelector(`[data-chip-label="${rule.name}"]`)
        ?.classList.toggle('filled', Object.hasOwn(values, rule.name) && texts.has(rule.name))
    }
    for (const { chip, name, html } of chips) {
      const text = texts.get(name)
      chip.classList.toggle('filled', text !== undefined && (Object.hasOwn(values, name) || isFilledShown))
      if (isFilledShown && text !== undefined) {
        // `renderText` escapes the text and makes hidden characters visible.
        chip.innerHTML = renderText(text)
        chip.classList.toggle('empty', text === '')
      } else {
        chip.innerHTML = html
        chip.classList.remove('empty')
      }
    }
    for (const button of switches) button.ariaPressed = String((button.dataset.view === 'filled') === isFilledShown)
    const needed = rules.filter(mustBeGiven)
    const done = needed.filter(({ name }) => texts.has(name)).length
    const words =
      wrong > 0
        ? `${wrong} invalid ${wrong === 1 ? 'value' : 'values'}`
        : needed.length === 0
          ? 'All optional'
          : `${done} of ${needed.length} required`
    if (progress && progress.textContent !== words) progress.textContent = words
  }
  const keep = () => {
    clearTimeout(keeping)
    keeping = window.setTimeout(() => {
      const values = new URLSearchParams(Object.entries(readValues()))
      const hash = values.size > 0 ? `${VALUES}${values}` : location.hash.startsWith(VALUES) ? '' : location.hash
      if (hash !== location.hash) history.replaceState(null, '', location.pathname + location.search + hash)
      keepOpenIn()
    }, KEPT_MS)
  }
  const bring = () => {
    if (!location.hash.startsWith(VALUES)) return
    for (const [name, value] of new URLSearchParams(location.hash.slice(VALUES.length))) {
      const field = fields.get(name)
      if (field) field.value = value
    }
    if (Object.keys(readValues()).length > 0) isFilledShown = true
  }

  form?.addEventListener('input', () => {
    isFilledShown = true
    forget()
    show()
    keep()
  })
  for (const button of switches)
    button.addEventListener('click', () => {
      isFilledShown = button.dataset.view === 'filled'
      show()
    })
  source.addEventListener('click', (event) => {
    const chip = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-chip]') : null
    const field = fields.get(chip?.dataset.chip ?? '')
    if (!field) return
    event.preventDefault()
    field.focus()
    if (!(field instanceof HTMLSelectElement)) field.select()
  })
  const forget = () => {
    undo = undefined
    if (examples) examples.textContent = 'Fill in examples'
  }
  examples?.addEventListener('click', () => {
    if (undo) {
      for (const [name, value] of undo) fields.get(name)!.value = value
      forget()
    } else {
      // Only empty fields are filled in, so the reader's values are preserved.
      undo = new Map([...fields].map(([name, { value }]) => [name, value]))
      for (const field of fields.values())
        if (field.value === '' && field.dataset.example !== undefined) field.value = field.dataset.example
      isFilledShown = true
      examples.textContent = 'Remove examples'
    }
    show()
    keep()
  })
  document.querySelector('#clear')?.addEventListener('click', () => {
    for (const field of fields.values()) field.value = ''
    isFilledShown = false
    forget()
    show()
    keep()
  })
  addEventListener('hashchange', () => {
    bring()
    show()
  })
  // The browser restores values when a reader returns to the page.
  addEventListener('pageshow', () => {
    if (Object.keys(readValues()).length > 0) isFilledShown = true
    show()
    keepOpenIn()
  })

  document.addEventListener('click', (event) => {
    const button = event.target instanceof Element ? event.target.closest<HTMLButtonElement>('[data-copy-as]') : null
    if (!button) return
    const kind = button.dataset.copyAs === 'shown' ? (isFilledShown ? 'filled' : 'raw') : button.dataset.copyAs
    const value = fillText()
    const filled = value?.content ?? content
    const parts = fillParts()
    const message = (isFilledShown ? parts : messages)[Number(button.dataset.message)]
    progress?.classList.toggle('wrong', kind === 'filled' && (!value || value.missing.length > 0))
    const texts: Record<string, string> = {
      raw: content,
      message: message && isChatMessage(message) ? message.content : '',
      messages: JSON.stringify(parts.filter(isChatMessage), null, 2),
      link: `${location.origin}${location.pathname}${VALUES}${new URLSearchParams(Object.entries(readValues()))}`,
    }
    const saysMissing = kind === 'filled' || kind === 'messages' || button.dataset.copyAs === 'shown'
    const missing = saysMissing ? listMissing() : []
    copyText(button, texts[kind ?? ''] ?? filled, source, describeMissing(missing)).catch(reportError)
    button.closest<HTMLDetailsElement>('details.menu')?.removeAttribute('open')
  })

  /** Returns the required variables without a valid value; each stays in the text as it is. */
  function listMissing(): string[] {
    const values = readValues()
    return rules.flatMap((rule) => {
      if (!mustBeGiven(rule) && !Object.hasOwn(values, rule.name)) return []
      const { value } = fillOne(rule, Object.hasOwn(values, rule.name) ? values[rule.name] : undefined)
      return value && value.missing.length === 0 ? [] : [rule.name]
    })
  }

  bring()
  show()
  keepOpenIn()
}

/** Says which variables of a copied text are empty, with a way to the first one. */
function describeMissing([first, ...others]: readonly string[]): CopyNote | undefined {
  if (first === undefined) return undefined
  const words = others.length === 0 ? `, but ${first} is empty.` : `, but ${others.length + 1} variables are empty.`
  return { words, link: 'Fill in', target: `variable-${first}` }
}
