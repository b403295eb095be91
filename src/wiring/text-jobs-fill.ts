// The jobs of MCP on somebody's text: filling in and warnings. On Netlify, a function contains only the code of its own jobs.
import { HubError } from '../domain/api/errors.ts'
import { jobIn, type TextJobTable } from '../ports/text-work.ts'

/** The code of these jobs, each module loaded on first use. */
export const FILL_CODE = {
  filling: () => import('../domain/content/filling.ts'),
  placeholders: () => import('../domain/content/placeholders.ts'),
  findings: () => import('../domain/content/findings.ts'),
}

/** The jobs that MCP needs. */
export const FILL_JOBS = {
  async fillPrompt({ content, messages, variables }, values) {
    const { fillContent, fillMessages, formatFillingProblems } = await FILL_CODE.filling()
    const { value, problems } = fillContent({ content, variables }, values, 'lenient')
    if (value) {
      // Each message is filled in separately, so that a value can never create a new message.
      const filled = messages && fillMessages({ messages, variables }, values, 'lenient').value!.messages
      return { content: value.content, messages: filled, missing: value.missing }
    }
    const code = problems.some(({ kind }) => kind === 'too_large') ? 'content_too_large' : 'invalid_request'
    throw new HubError(code, `variables: ${formatFillingProblems(problems)}.`)
  },
  findPlaceholders: jobIn(FILL_CODE.placeholders, (code) => code.findPlaceholders),
  fillMessages: jobIn(FILL_CODE.filling, (code) => (chat, values) => code.fillMessages(chat, values, 'strict')),
  warnOfTexts: jobIn(FILL_CODE.findings, (code) => code.warnOfTexts),
} satisfies Partial<TextJobTable>
