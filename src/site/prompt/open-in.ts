// Links that open a filled-in prompt in a chat app. The text is in the URL, so it goes only to the app that the reader chooses.
import { type ChatPart, isChatMessage } from '../../domain/values/chat.ts'

/** The chat apps, each with the URL that starts a chat with the text that follows. */
export const CHAT_APPS = [
  { name: 'ChatGPT', address: 'https://chatgpt.com/?q=' },
  { name: 'Claude', address: 'https://claude.ai/new?q=' },
] as const

/** Maximum length of a link, because web servers reject much longer URLs (RFC 9110 section 4.1). */
export const MAX_ADDRESS_CHARACTERS = 8_000

/** Returns the link for a text, and whether it is short enough to work. @param address of the app */
export function openInAddress(address: string, text: string): { href: string; isShort: boolean } {
  // Each character takes at least one in the URL, so a long text need not be encoded.
  if (text.length > MAX_ADDRESS_CHARACTERS) return { href: '', isShort: false }
  const href = address + encodeURIComponent(text.toWellFormed())
  return { href, isShort: href.length <= MAX_ADDRESS_CHARACTERS }
}

/** Writes messages as one text, because these links accept only one message. A single message stays as it is. */
export function joinMessages(parts: readonly ChatPart[]): string {
  const messages = parts.filter(isChatMessage)
  if (messages.length === 1) return messages[0]!.content
  return messages.map(({ role, content }) => `${role}:\n${content}`).join('\n\n')
}
