// Tests which addresses a webhook may have. public-address.test.ts has the private networks.
import { expect, test } from 'vitest'
import { findWebhookUrlProblem, NOT_PUBLIC } from './webhook-address.ts'

const NO_USER = 'expected a URL without a user and a password'

//  address                                  problem                    problem if the operator allows private networks
test.each([
  ['https://ci.example.com/hook', undefined, undefined],
  ['ci.example.com', 'expected a URL', 'expected a URL'],
  ['https://a@ci.example.com/', NO_USER, NO_USER],
  ['https://:b@ci.example.com/', NO_USER, NO_USER],
  ['http://ci.example.com/', 'expected a URL with https', undefined],
  ['ftp://ci.example.com/', 'expected a URL with https', 'expected a URL with https or http'],
  ['https://localhost/', NOT_PUBLIC, undefined],
  ['https://10.0.0.1/', NOT_PUBLIC, undefined],
  ['https://192.0.2.1/', NOT_PUBLIC, undefined],
  ['https://[64:ff9b::a00:1]/', NOT_PUBLIC, undefined],
])('%s', (address, problem, privately) => {
  expect([findWebhookUrlProblem(address, false), findWebhookUrlProblem(address, true)]).toEqual([problem, privately])
})
