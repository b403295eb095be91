// Tests which memory is reported as too little for a hub.
import { expect, test } from 'vitest'
import { describeShortage } from './memory.ts'

test('a hub needs 384 MiB', () => {
  expect(describeShortage(384 * 1024 ** 2)).toBeUndefined()
  expect(describeShortage(200 * 1024 ** 2)).toMatch(/has 200 MiB of memory, .* at least 384 MiB/)
})
