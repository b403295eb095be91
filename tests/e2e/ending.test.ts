// Pins that `npm start` ends whole when npm alone is told to: nobody is left behind, and the port is free again.
import { spawn } from 'node:child_process'
import { expect, test } from 'vitest'
import { poll } from './client.ts'
import { freePort } from './targets.ts'

test('SIGTERM to npm ends the host with it', async () => {
  const port = await freePort()
  const environment = {
    ...process.env,
    PORT: String(port),
    NODE_ENV: '',
    VITEST: '',
    SITE_URL: '',
    ASTRO_TELEMETRY_DISABLED: '1',
  }
  const npm = spawn('npm', ['start'], { env: environment, stdio: 'ignore' })
  // A plain file: asking the API while the first build runs would use up the limit of requests.
  const answers = () =>
    fetch(`http://localhost:${port}/data/v1/tags.json`).then(
      ({ ok }) => ok,
      () => false,
    )
  await poll('npm start answers', 90_000, async () => ((await answers()) ? true : undefined))
  npm.kill('SIGTERM')
  await poll('the port is free', 15_000, async () => ((await answers()) ? undefined : true))
  expect(await answers()).toBe(false)
}, 120_000)
