// Reports the output of a test runner, and points the label to the version, each with an OIDC token whose audience is this hub.
import { lstatSync } from 'node:fs'
import { MAX_OUTPUT_BYTES, readOutcome } from '../../../clients/typescript/source/commands/outcome.ts'
import { readBounded } from '../../../clients/typescript/source/commands/sources.ts'
import { readThreshold, sayGuarded } from '../../../clients/typescript/source/guard.ts'
import { HubManager } from '../../../clients/typescript/source/prompt-hub.ts'
import { input, requestToken, requireHub, requirePermission, runAction, show, stop } from '../job.ts'

await runAction(async () => {
  const hub = input('hub')
  const [prompt, version, suite] = [input('prompt'), input('version'), input('suite')]
  requirePermission(hub)
  requireHub(
    hub,
    'hub: expected an https URL, because over plain http, anyone on the network path could publish with the token.',
  )
  const file = input('file')
  if (file === '' || file.startsWith('-')) stop('file: expected a path; begin it with ./ if it starts with a hyphen.')
  if (lstatSync(file).isSymbolicLink()) stop(`file: ${file} is a symbolic link; name the file itself.`)
  const found = readOutcome(await readBounded(file, MAX_OUTPUT_BYTES, file), file)
  const { GITHUB_SERVER_URL: server = '', GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: id } = process.env
  const isKnown = server.startsWith('https://') && repository && id
  const outcome = {
    ...found,
    ...(isKnown && { url: `${server}/${repository}/actions/runs/${id}` }),
    ...(input('model') !== '' && { model: input('model') }),
  }
  // Each token is valid for one request.
  const open = async () =>
    new HubManager({ url: hub, token: await requestToken(hub), timeoutMs: 60_000, deadlineMs: 180_000 })
  await (await open()).report(prompt, version, suite, outcome)
  const skipped = found.skipped > 0 ? `, ${found.skipped} skipped` : ''
  show(`${prompt} ${version} ${suite}: ${found.passed} passed, ${found.failed} failed${skipped}`)
  const guard = input('guard')
  if (guard !== '') {
    const threshold = readThreshold(input('threshold'))
    if (threshold === undefined) stop('threshold: expected a number from 0 to 1, such as 0.05.')
    show(`${prompt} ${guard}: ${sayGuarded(await (await open()).guardSplit(prompt, guard, suite, threshold))}`)
  }
  const label = input('label')
  if (label === '') return
  await (await open()).setLabel(prompt, label, version)
  show(`${prompt} ${label} ${version}`)
})
