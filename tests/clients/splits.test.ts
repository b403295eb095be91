// Checks that the hub, the TypeScript library and the reference of docs/splits.md choose the same version for a caller. tests/clients/python_client.py has the same for Python.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { chooseVersion, numberOf } from '../../clients/typescript/source/split.ts'
import * as hub from '../../src/domain/values/label-target.ts'

const { made, literal } = JSON.parse(readFileSync('tests/fixtures/splits.json', 'utf8')) as {
  made: { salt: string; keys: string[]; count: number; sha256: string }
  literal: [salt: string, key: string, number: number][]
}
const [, code = ''] = /```js\n([\s\S]*?)```/.exec(readFileSync('docs/splits.md', 'utf8')) ?? []
const reference = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
  numberOf: (salt: string, key: string) => number
  chooseVersion: (target: hub.LabelTarget, key: string) => string
}

test('the reference is short', () => expect(code.split('\n').length).toBeLessThanOrEqual(40))

test.each([
  ['the hub', hub.numberOf],
  ['the library', numberOf],
  ['the reference', reference.numberOf],
])('%s gives each caller of the fixture its number', async (_who, find) => {
  for (const [salt, key, number] of literal) expect(await find(salt, key), key).toBe(number)
  const hash = createHash('sha256')
  for (let from = 0; from < made.count; from += 1_000) {
    const salts = Array.from({ length: 1_000 }, (_, at) => [`${made.salt}${at}`, from + at] as const)
    const numbers = await Promise.all(salts.map(([salt, at]) => find(salt, `${made.keys[at % made.keys.length]}${at}`)))
    hash.update(numbers.map((number) => `${number}\n`).join(''))
  }
  expect(hash.digest('hex')).toBe(made.sha256)
})

test('of many callers, a percentage gets the second version', () => {
  const CALLERS = 200_000
  const counts = new Array<number>(100).fill(0)
  for (let at = 0; at < CALLERS; at++) counts[reference.numberOf('Zq3vT8pK1mXw0cRb', `user-${at}`)]!++
  let share = 0
  for (const [number, count] of counts.entries()) {
    share += (count / CALLERS) * 100
    expect(Math.abs(share - number - 1), `${number + 1} %`).toBeLessThan(0.4)
  }
})

test.each(['', 'user-2', 'user-1'])('caller %j gets the same version from all', async (key) => {
  for (const percent of [1, 16, 17, 30, 31, 99]) {
    const target = { version: '1.4.0', split: { version: '1.5.0', percent, salt: 'salt' } }
    const expected = reference.chooseVersion(target, key)
    expect(await chooseVersion(target, key)).toBe(expected)
    expect(await hub.chooseVersion(target, key)).toBe(expected)
    expect(expected).toBe(key !== '' && percent > (key === 'user-2' ? 16 : 30) ? '1.5.0' : '1.4.0')
  }
  expect(await chooseVersion({ version: '1.4.0', split: null }, key)).toBe('1.4.0')
})
