// Remembers single-use items, such as the OIDC token of a CI job or the state of a sign-in, for as long as they could be used again.
import { hash } from 'node:crypto'
import type { StateStore } from './state-store.ts'

interface Use {
  kind: 'jti' | 'sign-ins'
  /** The item's name; unique within its kind. */
  id: string
  /** Identifies this use; a use with the same value may be repeated. */
  use: string
  /** When the item expires, in milliseconds since 1970; the same on each use. */
  endsMs: number
}

/**
 * Uses an item: the first process to record its use wins. The record is then read again, because Netlify Blobs may let two such writes succeed, but afterwards shows both writers the same record (docs/notes/netlify.md section 8).
 *
 * @returns false if it was used for something else or has expired
 * @throws HubError `unavailable` if the store cannot be reached
 */
export async function useOnce(state: StateStore, { kind, id, use, endsMs }: Use): Promise<boolean> {
  const key = `${kind}/${Math.ceil(endsMs / 1000)}-${hash('sha256', id)}`
  await state.add(key, use, { expiresAt: endsMs })
  return (await state.get(key))?.value === use
}
