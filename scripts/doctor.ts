// `npm run doctor -- [--url https://…] [--json]`: checks the local setup or a deployed hub, and reports what is wrong and how to fix it; fails on errors.
import { parseArgs } from 'node:util'
import { examineSetup, isWell } from '../src/doctor/doctor.ts'
import { formatExamination } from '../src/doctor/examination.ts'

try {
  const { values } = parseArgs({ options: { url: { type: 'string' }, json: { type: 'boolean' } } })
  const examined = await examineSetup({ environment: process.env, root: process.cwd(), url: values.url })
  const ok = isWell(examined)
  if (values.json) console.log(JSON.stringify({ ok, checks: examined }, undefined, 2))
  else {
    console.log(formatExamination(examined))
    const count = examined.filter(({ outcome }) => outcome === 'error').length
    console.log(ok ? 'All checks passed.' : `${count} of ${examined.length} checks failed.`)
  }
  process.exitCode = ok ? 0 : 1
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  console.error('Usage: npm run doctor -- [--url https://prompts.example.org] [--json]')
  process.exitCode = 2
}
