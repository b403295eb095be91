// Checks that each guide has the path that the navigation lists, wherever the project is checked out.
import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { GUIDE_PATHS, pathOfGuide } from './guides.ts'

test.each(['/home/a/prompt-hub', '/home/a/pages/prompt-hub', '/src/pages/prompt-hub'])('in %s', (checkout) => {
  const written = readdirSync('src/pages/docs').filter((name) => name.endsWith('.md'))
  expect(written.length).toBeGreaterThan(5)
  const paths = written.map((name) => pathOfGuide(`${checkout}/src/pages/docs/${name}`))
  expect(paths.filter((path) => !GUIDE_PATHS.includes(path))).toEqual([])
})
