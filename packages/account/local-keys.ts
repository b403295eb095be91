// Creates the keys of one-time sign-in links.
import { randomBytes } from 'node:crypto'
import { isEqual } from './session.ts'

/** The sign-in keys of a process. Only one key is valid at a time; once it is used, a new key replaces it. */
export interface LocalKeys {
  /** Returns the current key. */
  current(): string
  isGood(key: string | null): boolean
  /** Uses up a key. @returns whether it was still valid */
  spend(key: string | null): boolean
}

/** Creates the first key. @param onNext called with each new key that replaces a used key */
export function openLocalKeys(onNext: (key: string) => void): LocalKeys {
  let current = makeKey()
  const isGood = (key: string | null) => key !== null && isEqual(key, current)
  return {
    current: () => current,
    isGood,
    spend(key) {
      if (!isGood(key)) return false
      current = makeKey()
      onNext(current)
      return true
    },
  }
}

/** Returns the sign-in URL for a key. */
export function localSignInLink(baseUrl: string, key: string): string {
  return `${baseUrl}/auth/local?key=${key}`
}

const makeKey = () => randomBytes(32).toString('base64url')
