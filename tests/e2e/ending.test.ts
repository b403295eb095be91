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
  const answers = () =>
    fetch(`http://localhost:${port}/api/v1/tags`).then(
      ({ ok }) => ok,
      () => false,
    )
  await poll('npm start answers', 60_000, async () => ((await answers()) ? true : undefined))
  npm.kill('SIGTERM')
  await poll('the port is free', 5_000, async () => ((await answers()) ? undefined : true))
  expect(await answers()).toBe(false)
}, 80_000)
