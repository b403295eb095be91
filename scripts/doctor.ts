// `npm run doctor -- [--url https://…] [--json]`: checks the local setup or a deployed hub, and reports what is wrong and how to fix it; fails on errors.
import { formatResults } from '../src/doctor/checks.ts'
import { checkSetup, hasPassed } from '../src/doctor/doctor.ts'
import { runCommand } from './run-command.ts'

const USAGE = 'Usage: npm run doctor -- [--url https://prompts.example.org] [--json]'

const options = { url: { type: 'string' }, json: { type: 'boolean' } } as const
await runCommand({ usage: USAGE, status: 2, options }, async ({ values }) => {
  const examined = await checkSetup({ environment: process.env, root: process.cwd(), url: values.url })
  const ok = hasPassed(examined)
  if (values.json) console.log(JSON.stringify({ ok, checks: examined }, undefined, 2))
  else {
    console.log(formatResults(examined))
    const count = examined.filter(({ outcome }) => outcome === 'error').length
    console.log(ok ? 'All checks passed.' : `${count} of ${examined.length} checks failed.`)
  }
  process.exitCode = ok ? 0 : 1
})
