// Tests the website in a real browser, with hostile text in every field. See docs/contract.md section 10.
import { afterAll } from 'vitest'
import { openBuiltSite } from './built-site.ts'
import { testComparison } from './comparison.ts'
import { testEveryPage } from './every-page.ts'
import { testFinding } from './finding.ts'
import { writeHostileContent } from './hostile-content.ts'
import { testOtherReaders } from './other-readers.ts'
import { testPromptPage } from './prompt-page.ts'
import { testVisitorJobs } from './visitor-jobs.ts'
import { testWithoutBrowser } from './without-browser.ts'

const site = await openBuiltSite(writeHostileContent)

afterAll(() => site?.close())

// All tests share one site, so that it is built only once. Tests that change the site come last.
for (const testPart of [
  ...[testOtherReaders, testWithoutBrowser, testEveryPage, testVisitorJobs, testFinding, testComparison],
  testPromptPage,
])
  testPart(() => site)
