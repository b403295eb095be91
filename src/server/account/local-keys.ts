// Creates the keys of one-time sign-in links.
import { randomBytes } from 'node:crypto'
import { isEqual } from './session.ts'

/** The keys of a process: one at a time; when it is used, the next one takes its place. */
export interface LocalKeys {
  /** The key that is good now. */
  current(): string
  isGood(key: string | null): boolean
  /** Uses up a key. @returns whether it was good until now */
  spend(key: string | null): boolean
}

/** Opens the keys. @param onNext told of each key that takes the place of a used one */
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

/** The address that signs in with a key. */
export function localSignInLink(baseUrl: string, key: string): string {
  return `${baseUrl}/auth/local?key=${key}`
}

const makeKey = () => randomBytes(32).toString('base64url')
