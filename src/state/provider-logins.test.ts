// Tests the logins that people of an OpenID Connect provider get at their first sign-in.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Handle } from '../domain/values/values.ts'
import { listLogins } from './provider-logins.ts'

const DIGEST = 'a1b2c3d4e5f60718293a4b5c6d7e8f90'

//  email address                        first login
test.each([
  ['ada@acme.example', 'ada-acme'],
  ['ada.lovelace+hub@mail.acme.example', 'ada-lovelace-hub-mail'],
  ['_@acme.example', 'user-a1b2c3d4e5f6'],
  [null, 'user-a1b2c3d4e5f6'],
  [`${'a'.repeat(64)}@acme.example`, 'a'.repeat(36)],
  [`${'a'.repeat(35)}@acme.example`, 'a'.repeat(35)],
])('%s', (email, login) => expect(listLogins({ email }, DIGEST)[0]).toBe(login))

test('every login is a handle, none comes twice, and the last is unique to the account', () => {
  fc.assert(
    fc.property(fc.oneof(fc.emailAddress(), fc.string()), (email) => {
      const logins = listLogins({ email }, DIGEST)
      expect(logins.filter((login) => !Handle.safeParse(login).success)).toEqual([])
      expect(new Set(logins).size).toBe(logins.length)
      expect(logins.at(-1)).toBe('user-a1b2c3d4e5f6')
    }),
  )
})
