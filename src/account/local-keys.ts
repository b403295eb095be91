// Creates the keys of one-time sign-in links.
import { createHash, randomBytes } from 'node:crypto'
import type { StateStore } from '../state/state-store.ts'
import { isEqual } from './session.ts'

/** The sign-in keys of a process: one of its own, which a new one replaces once it is used, and those of `npm run token -- --sign-in`. */
export interface LocalKeys {
  /** Returns the current key of this process. */
  current(): string
  isGood(key: string | null): Promise<boolean>
  /** Uses up a key. @returns whether it was still valid */
  spend(key: string | null): Promise<boolean>
}

/** How long a key in the state store is valid. */
const SHARED_KEY_MS = 900_000
const UNUSED = 'unused'
/** Only the digest is stored, so that nobody who reads the store can sign in. */
const entryOf = (key: string) => `local-keys/${createHash('sha256').update(key).digest('hex')}`

/** Creates the first key. @param onNext called with each new key that replaces a used key @param state has the keys that other processes make */
export function openLocalKeys(onNext: (key: string) => void, state?: Pick<StateStore, 'get' | 'replace'>): LocalKeys {
  let current = makeKey()
  const findShared = async (key: string | null) => {
    const found = key === null || key === '' ? undefined : await state?.get(entryOf(key))
    return found?.value === UNUSED ? found : undefined
  }
  const isOwn = (key: string | null) => key !== null && isEqual(key, current)
  return {
    current: () => current,
    isGood: async (key) => isOwn(key) || (await findShared(key)) !== undefined,
    async spend(key) {
      if (isOwn(key)) {
        current = makeKey()
        onNext(current)
        return true
      }
      const shared = await findShared(key)
      return (shared && (await state?.replace(entryOf(key!), 'used', shared.version))) ?? false
    },
  }
}

/** Creates a key that each process with this state accepts once, for 15 minutes. */
export async function makeSharedKey(state: Pick<StateStore, 'set'>, now: Date): Promise<string> {
  const key = makeKey()
  await state.set(entryOf(key), UNUSED, { expiresAt: now.getTime() + SHARED_KEY_MS })
  return key
}

/** Returns the sign-in URL for a key. */
export function localSignInLink(baseUrl: string, key: string): string {
  return `${baseUrl}/auth/local?key=${key}`
}

const makeKey = () => randomBytes(32).toString('base64url')
