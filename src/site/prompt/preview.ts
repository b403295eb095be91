// Renders a prompt as it looks once its variables have values: their examples, or their defaults. The server and the browser use the same code.

import type { VersionRecord } from '../../domain/api/schema.ts'
import { fillContent } from '../../domain/content/filling.ts'
import { PAGE_LIMITS } from '../../domain/page-limits.ts'
import { isChatMessage, splitChat } from '../../domain/values/chat.ts'
import { fillOne } from './fill-one.ts'
import { openBudget, renderContent } from './prompt-text.ts'

/** Maximum number of characters that the values add. */
const MAX_FILLED_CHARACTERS = 65_536

/** The parts of a version that a preview shows. */
type PreviewedPrompt = Pick<VersionRecord, 'content' | 'format' | 'variables'>

/** Renders the preview as HTML: one text, or each message with its role. */
export function renderPreview({ content, format, variables }: PreviewedPrompt): string {
  if (content.trim() === '') return '<p class="quiet">Nothing to preview yet.</p>'
  const filled = textsOf({ content, variables })
  const budget = openBudget()
  const draw = (text: string) =>
    `<pre dir="auto"><code>${renderContent(text, variables, { filled, budget })}</code></pre>`
  const parts = format === 'chat' ? splitChat(content) : []
  // A version cannot have more messages, and each takes time.
  if (parts.length === 0 || parts.length > PAGE_LIMITS.messagesPerVersion + 1) return draw(content)
  return parts
    .map((part) =>
      isChatMessage(part)
        ? `<section class="message"><h3 class="role">${part.role}</h3>${draw(part.content)}</section>`
        : '<p class="message history">Earlier messages go here</p>',
    )
    .join('')
}

/** Returns the text for each variable that has a value. Many placeholders of a long value are not filled in, so that the preview is never much longer than a prompt. */
function textsOf({ content, variables }: Pick<PreviewedPrompt, 'content' | 'variables'>): Map<string, string> {
  const texts = new Map<string, string>()
  for (const variable of variables) {
    const { value } = fillOne(variable, variable.example)
    if (!value || value.missing.length > 0) continue
    texts.set(variable.name, value.content)
  }
  const { value, problems = [] } = fillContent({ content, variables }, Object.fromEntries(texts), 'lenient')
  const isTooLong = value
    ? value.content.length > content.length + MAX_FILLED_CHARACTERS
    : problems.some(({ kind }) => kind === 'too_large')
  return isTooLong ? new Map() : texts
}
