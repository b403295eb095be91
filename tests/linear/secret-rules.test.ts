// Tests that the search for keys takes linear time, for texts of the beginning of every format.
import { expect, test } from 'vitest'
import { SECRET_RULES } from '../../src/domain/content/secret-rules.ts'
import { findCertainSecret, findSecrets } from '../../src/domain/content/secrets.ts'
import { KEYS } from '../fixtures/secret-keys.ts'

test('four times the text takes about four times the work', () => {
  /** Milliseconds of this thread, so that other programs count less. */
  const timeOf = (text: string) => {
    const start = process.threadCpuUsage()
    findSecrets(text)
    findCertainSecret(text)
    const { user, system } = process.threadCpuUsage(start)
    return (user + system) / 1000
  }
  const seeds = new Set([
    ...KEYS.flatMap(([, key]) => [key.slice(0, 12), key.slice(0, -1), key]),
    ...SECRET_RULES.flatMap(({ keywords }) => keywords.flatMap((keyword) => [keyword, `${keyword}a`, `${keyword}.`])),
    ...['a', 'ey', '-', '://', '://a:', '://a:b', 'M', '1:AA', '.', '\n', ' ', 'xoxb-1', '-----BEGIN PRIVATE KEY-----'],
    SECRET_RULES.flatMap(({ keywords }) => keywords).join(' '),
  ])
  for (const seed of seeds) {
    const text = seed.repeat(Math.ceil(32_768 / seed.length)).slice(0, 32_768)
    // Quadratic work would take sixteen times as long in every attempt; a busy machine disturbs only some.
    const isLinear = () => timeOf(text) < Math.max(20, 10 * timeOf(text.slice(0, 8_192)))
    expect([1, 2, 3, 4, 5].some(isLinear), seed.slice(0, 40)).toBe(true)
  }
})
