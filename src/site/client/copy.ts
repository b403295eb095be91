// Owns the copy buttons: each copies, byte for byte, the text of the element it names.
import { exactText } from '../exact-text.ts'

/** Long enough to be read, short enough not to be in the way of a second copy. */
const SHOWN_MS = 2_000

for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
  const words = button.querySelector('[data-copy-words]')
  const target = document.getElementById(button.dataset.copy ?? '')
  // Beside the button, not in it: a status inside would take its words out of the button's name.
  const status = button.nextElementSibling
  if (!words || !target || !status) continue
  let timer: number | undefined
  button.addEventListener('click', async () => {
    words.textContent = (await copy(target)) ? 'Copied' : 'Press Ctrl+C'
    status.textContent = words.textContent
    clearTimeout(timer)
    timer = window.setTimeout(() => {
      words.textContent = 'Copy'
      status.textContent = ''
    }, SHOWN_MS)
  })
}

/** @returns false when the browser does not let us, as on plain http: then the text is selected, one key press from being copied */
async function copy(target: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(exactText(target))
    return true
  } catch {
    // No clipboard without https, or no permission: the reader can still do it by hand.
    getSelection()?.selectAllChildren(target)
    return false
  }
}
