// Fills in a prompt for a model.

import { allowInThreads } from '../../concurrency/long-work.ts'
import { HubError } from '../../domain/api/errors.ts'
import type { VersionRecord } from '../../domain/api/schema.ts'
import { type FillingValues, fillContent, fillMessages, formatFillingProblems } from '../../domain/content/filling.ts'

/** Fills in a prompt, ignoring unknown names. @throws HubError `invalid_request`, `content_too_large` */
export function fillPrompt(
  { content, messages, variables }: Pick<VersionRecord, 'content' | 'messages' | 'variables'>,
  values: FillingValues,
): { content: string; messages: VersionRecord['messages']; missing: string[] } {
  const { value, problems } = fillContent({ content, variables }, values, 'lenient')
  if (value) {
    // Each message is filled in separately, so that a value can never create a new message.
    const filled = messages && fillMessages({ messages, variables }, values, 'lenient').value!.messages
    return { content: value.content, messages: filled, missing: value.missing }
  }
  const code = problems.some(({ kind }) => kind === 'too_large') ? 'content_too_large' : 'invalid_request'
  throw new HubError(code, `variables: ${formatFillingProblems(problems)}.`)
}

allowInThreads(import.meta.url, { fillPrompt })
