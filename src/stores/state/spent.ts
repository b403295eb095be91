// Remembers what may be used once, such as the OIDC token of a CI job or the state of a sign-in, for as long as it could be used again.
import { hash } from 'node:crypto'
import type { StateStore } from '../../ports/state-store.ts'

/** One use of something that serves once. */
interface Use {
  kind: 'jti' | 'sign-ins'
  /** Names it; unique in its kind. */
  id: string
  /** Tells this use from others: with the same text it may come again. */
  use: string
  /** When it can be used no more, in milliseconds since 1970; the same at each use. */
  endsMs: number
}

/**
 * Spends something on a use: of all processes, the first that writes its use down has it. What was written is then read again, because Netlify Blobs
 * may let two such writes succeed, but afterwards shows both writers the same one (docs/notes/github.md section 10).
 *
 * @returns false when it was spent on another use, or can be used no more
 * @throws HubError `unavailable` when the store is out of reach
 */
export async function spendOnce(state: StateStore, { kind, id, use, endsMs }: Use): Promise<boolean> {
  const key = `${kind}/${Math.ceil(endsMs / 1000)}-${hash('sha256', id)}`
  await state.add(key, use, { expiresAt: endsMs })
  return (await state.get(key))?.value === use
}
