// Improves the version form: lists the text's variables while the user types, and shows a chat prompt as one block per message.
import {
  CHAT_ROLES,
  type ChatPart,
  checkChat,
  formatChat,
  isChatMessage,
  splitChat,
} from '../../domain/content/chat.ts'
import { findVariableNames } from '../../domain/content/placeholders.ts'

const content = document.querySelector<HTMLTextAreaElement>('textarea[data-editor]')
const format = document.querySelector<HTMLSelectElement>('select[name="format"]')
const variables = document.querySelector('[data-editor-variables]')

if (content && format && variables) {
  const blocks = Object.assign(document.createElement('div'), { className: 'message-blocks' })
  content.after(blocks)
  const isChat = () => format.value === 'chat'
  const showVariables = () => {
    const names = findVariableNames({ content: content.value, format: isChat() ? 'chat' : 'text' })
    variables.textContent = `Variables: ${names.length === 0 ? 'none yet' : names.join(', ')}`
  }
  /** Text that is not yet a valid chat is shown unchanged, so that no input is lost. */
  const canShow = () => isChat() && (content.value.trim() === '' || checkChat(content.value).length === 0)
  let parts: ChatPart[] = []
  const save = () => {
    content.value = formatChat(parts)
    showVariables()
  }
  const render = () => blocks.replaceChildren(...parts.map(renderBlock), renderAdding())
  const renderBlock = (part: ChatPart, index: number) => {
    const block = document.createElement('fieldset')
    const legend = document.createElement('legend')
    legend.textContent = isChatMessage(part) ? `Message ${index + 1}: ${part.role}` : 'Earlier messages go here'
    block.append(legend)
    if (isChatMessage(part)) {
      const text = Object.assign(document.createElement('textarea'), { rows: 4, value: part.content })
      text.setAttribute('aria-label', `Text of message ${index + 1}, ${part.role}`)
      text.addEventListener('input', () => {
        part.content = text.value
        save()
      })
      block.append(text)
    }
    const move = (by: number) => {
      const [moved] = parts.splice(index, 1)
      parts.splice(index + by, 0, moved!)
      save()
      render()
    }
    const remove = () => {
      parts.splice(index, 1)
      save()
      render()
    }
    const buttons = Object.assign(document.createElement('div'), { className: 'actions' })
    if (index > 0) buttons.append(renderButton('Move up', `message ${index + 1}`, () => move(-1)))
    if (index < parts.length - 1) buttons.append(renderButton('Move down', `message ${index + 1}`, () => move(1)))
    buttons.append(renderButton('Remove', `message ${index + 1}`, remove))
    block.append(buttons)
    return block
  }
  const renderAdding = () => {
    const buttons = Object.assign(document.createElement('div'), { className: 'actions' })
    const add = (part: ChatPart) => {
      parts.push(part)
      save()
      render()
      ;[...blocks.querySelectorAll('textarea')].at(-1)?.focus()
    }
    for (const role of CHAT_ROLES)
      buttons.append(renderButton(`Add ${role}`, 'message', () => add({ role, content: '' })))
    if (parts.every(isChatMessage))
      buttons.append(renderButton('Add history', 'of earlier messages', () => add({ type: 'history' })))
    return buttons
  }
  const renderButton = (words: string, what: string, onClick: () => void) => {
    const button = Object.assign(document.createElement('button'), { type: 'button', className: 'small' })
    const more = Object.assign(document.createElement('span'), {
      className: 'visually-hidden',
      textContent: ` ${what}`,
    })
    button.append(words, more)
    button.addEventListener('click', onClick)
    return button
  }
  const restart = () => {
    showVariables()
    const isShown = canShow()
    content.hidden = isShown
    // A hidden field cannot show the browser's validation message.
    content.required = !isShown
    blocks.hidden = !isShown
    if (!isShown) return
    parts = content.value.trim() === '' ? [] : splitChat(content.value)
    render()
  }
  content.addEventListener('input', showVariables)
  format.addEventListener('change', restart)
  restart()
}

/** Dropping a file fills the field with its content, and the file's name determines the format. */
const dropped = document.querySelector<HTMLTextAreaElement>('textarea[data-drop]')
dropped?.addEventListener('drop', async (event) => {
  const file = event.dataTransfer?.files[0]
  if (!file) return
  event.preventDefault()
  dropped.value = await file.text()
  const name = document.querySelector<HTMLInputElement>('input[data-file-name]')
  if (name) name.value = file.name
})
