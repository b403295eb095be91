// `npm run check:mirror -- <address> [--hub <address>]`: checks that a plain web server has a file for every API read except search. With --hub, it also compares the bytes.
import { openDeployedHub } from '../../packages/doctor/hub-requests.ts'
import { checkMirror } from '../../packages/doctor/mirror.ts'
import { runCommand } from '../run-command.ts'

const USAGE = 'Usage: npm run check:mirror -- https://mirror.example [--hub https://hub.example]'

const options = { hub: { type: 'string' } } as const
await runCommand({ usage: USAGE, status: 2, options, allowPositionals: true }, async ({ values, positionals }) => {
  const [address] = positionals
  if (!address || positionals.length > 1) throw new Error('expected the URL of one mirror')
  const open = (url: string) => {
    if (!/^https?:\/\//.test(url) || !URL.canParse(url))
      throw new Error(`expected a URL such as https://mirror.example, got "${url}"`)
    return openDeployedHub(url.replace(/\/$/, '')).ask
  }
  const { reads, problems } = await checkMirror(open(address), values.hub === undefined ? undefined : open(values.hub))
  for (const [id, count] of Object.entries(reads)) console.log(`${String(count).padStart(7)}  ${id}`)
  for (const problem of problems) console.error(problem)
  const whole =
    values.hub === undefined
      ? 'Every API read except search is available as a file.'
      : 'Every API read except search is available as a file, with the same bytes as on the hub.'
  console.log(
    problems.length === 0
      ? `${whole} Prompt pages are not files; the hub renders them.`
      : `${problems.length} problems.`,
  )
  process.exitCode = problems.length === 0 ? 0 : 1
})
