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

/**
 * Copies text and confirms it on the button without changing the button's width.
 *
 * @param shown the element that contains the text; if the browser denies clipboard access, its text is selected so that the user can copy it with the keyboard
 */
export async function copyText(button: HTMLElement, text: string, shown: HTMLElement | null): Promise<void> {
  const isCopied = await navigator.clipboard?.writeText(text).then(
    () => true,
    // The browser denied clipboard access.
    () => false,
  )
  if (!isCopied && shown) getSelection()?.selectAllChildren(shown)
  const status = document.getElementById('spoken')
  button.classList.toggle('done', isCopied ?? false)
  if (status) status.textContent = isCopied ? 'Copied' : 'Selected. Press Ctrl+C to copy.'
  status?.classList.toggle('visually-hidden', isCopied ?? false)
  clearTimeout(timers.get(button))
  timers.set(
    button,
    window.setTimeout(() => {
      button.classList.remove('done')
      if (status) status.textContent = ''
      status?.classList.add('visually-hidden')
    }, SHOWN_MS),
  )
}
