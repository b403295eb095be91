// Checks that a public linter accepts the OpenAPI description.
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect, test } from 'vitest'
import { describeApi } from '../../src/catalogue/published/openapi.ts'

test('passes the recommended rules of a public OpenAPI linter', async () => {
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lintFromString({ source: JSON.stringify(describeApi('https://hub.test')), config })
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([])
  // Every error is described, even if no read can return it. The linter may therefore warn about unused components
  // only.
  expect(problems.map(({ ruleId }) => ruleId).filter((rule) => rule !== 'no-unused-components')).toEqual([])
})
