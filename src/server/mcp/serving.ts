// Owns what each generation's leg is handed: a message that is known to be one, and what answering it needs.
import type { McpTools } from './call-tool.ts'
import type { Message } from './read-message.ts'

/** One message to be served. */
export interface Serving {
  /** Its address and headers; the body has been read. */
  request: Request
  message: Message
  tools: McpTools
}
