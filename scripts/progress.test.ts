// Tests how long-running tasks report progress: a terminal shows one line with counts and the remaining time;
// elsewhere, there is a limited number of plain lines.
import { expect, test } from 'vitest'
import { openProgress } from './progress.ts'

function openStream(isTTY: boolean) {
  const written: string[] = []
  const methods = Object.fromEntries(
    ['cursorTo', 'clearLine', 'moveCursor', 'on', 'once'].map((name) => [name, () => true]),
  )
  const write = (text: string) => written.push(text) > 0
  const stream = { ...methods, isTTY, columns: 80, write } as unknown as NodeJS.WriteStream
  return { stream, said: () => written.join('') }
}

test('prints each step as a plain line when the output is not a terminal', () => {
  const { stream, said } = openStream(false)
  const progress = openProgress(stream)
  for (let done = 0; done <= 1000; done++) progress.show('Writing the site', done, 1000)
  progress.show('Writing the search index', 0, 0)
  progress.end()
  expect(said()).toBe('Writing the site: 0 of 1,000\nWriting the search index …\n')
})

test('shows the remaining time on a terminal', () => {
  const { stream, said } = openStream(true)
  let now = 0
  const progress = openProgress(stream, () => now)
  progress.show('Writing the site', 1, 4_000)
  now = 1_100
  progress.show('Writing the site', 1_000, 4_000)
  progress.end()
  expect(said()).toContain('Writing the site: 1 of 4,000')
  expect(said()).toMatch(/Writing the site: 1,000 of 4,000, 4 s left/)
})
