// Makes the copy buttons work: each button copies the text of its element, byte for byte.
import { exactText } from '../prompt/exact-text.ts'

/** How long a button confirms that the text was copied. */
const SHOWN_MS = 2_000
const timers = new WeakMap<HTMLElement, number>()

document.addEventListener('click', (event) => {
  const button = event.target instanceof Element ? event.target.closest<HTMLButtonElement>('button[data-copy]') : null
  const target = button && document.getElementById(button.dataset.copy ?? '')
  if (button && target) copyText(button, exactText(target), target).catch(reportError)
})

// Markdown renders code blocks in guides and readmes without copy buttons, so this script adds them.
for (const [index, code] of document.querySelectorAll('.prose pre > code').entries()) {
  // Code with a placeholder must be edited before it works, so it gets no button.
  if (code.textContent.includes('OWNER/')) continue
  code.id ||= `code-${index}`
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy small'
  button.dataset.copy = code.id
  button.innerHTML =
    '<span data-copy-words>Copy<span class="visually-hidden"> this code</span></span><span data-copy-done aria-hidden="true">✓ Copied</span>'
  const block = document.createElement('div')
  block.className = 'code-block'
  const pre = code.parentElement
  pre?.replaceWith(block)
  block.append(button, pre ?? code)
}

/** What is said about a copied text, with a link to an element that can be focused. */
export interface CopyNote {
  words: string
  link: string
  target: string
}

/** How long a note with a link stays, so that it can be read and reached. */
const NOTE_MS = 10_000
let clearing: number | undefined

/**
 * Copies text and confirms it, on the button without changing its width, and at the bottom of the window.
 *
 * @param shown the element that contains the text; if the browser denies clipboard access, its text is selected so that the user can copy it with the keyboard
 * @param note what to say besides
 */
export async function copyText(
  button: HTMLElement,
  text: string,
  shown: HTMLElement | null,
  note?: CopyNote,
): Promise<void> {
  const isCopied = await navigator.clipboard?.writeText(text).then(
    () => true,
    // The browser denied clipboard access.
    () => false,
  )
  if (!isCopied && shown) getSelection()?.selectAllChildren(shown)
  button.classList.toggle('done', isCopied ?? false)
  clearTimeout(timers.get(button))
  timers.set(
    button,
    window.setTimeout(() => button.classList.remove('done'), SHOWN_MS),
  )
  showAnswer(isCopied ?? false, note)
}

function showAnswer(isCopied: boolean, note: CopyNote | undefined): void {
  const status = document.getElementById('spoken')
  if (!status) return
  const close = () => {
    status.replaceChildren()
    status.classList.add('visually-hidden')
  }
  const chip = Object.assign(document.createElement('span'), { className: 'chip filled', textContent: 'Copied' })
  status.replaceChildren(isCopied ? chip : 'Selected. Press Ctrl+C to copy.')
  if (isCopied && note) {
    const link = Object.assign(document.createElement('a'), { href: `#${note.target}`, textContent: note.link })
    link.addEventListener('click', (event) => {
      event.preventDefault()
      document.getElementById(note.target)?.focus()
      close()
    })
    status.append(note.words, ' ', link)
  }
  status.classList.remove('visually-hidden')
  clearTimeout(clearing)
  clearing = window.setTimeout(close, isCopied && note ? NOTE_MS : SHOWN_MS)
}
