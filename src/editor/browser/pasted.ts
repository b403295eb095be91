// Asks the hub to read a pasted file of another tool.
import type { PastedFile } from '../form/pasted-file.ts'
import { send } from './api.ts'

/** Reads a file. @param format the chosen format; empty if it is recognised by the content @returns also what to say about it */
export async function readPastedText(content: string, format: string): Promise<Pick<PastedFile, 'filled' | 'said'>> {
  const { data, refusal } = await send<PastedFile>('POST', '/new', { content, format })
  if (refusal) return { said: [refusal.detail] }
  const recognised = data.format === undefined ? [] : [`Recognised as: ${data.format}.`]
  return { ...(data.filled && { filled: data.filled }), said: [...recognised, ...data.said] }
}
