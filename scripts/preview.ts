// `npm run preview`: builds the site like `npm run build`, and serves it with the Netlify dev server, which is the closest to a deploy that is possible offline.
import { spawn } from 'node:child_process'
import { readConfig } from '../src/config.ts'
import { onShutdown } from './shutdown.ts'

const { port } = readConfig(process.env)
const environment = {
  ...process.env,
  SITE_URL: process.env.SITE_URL ?? `http://localhost:${port}`,
  ASTRO_TELEMETRY_DISABLED: '1',
}

let running: ReturnType<typeof spawn> | undefined
/** The dev server leaves its child processes behind when it stops, so the entire process group is stopped. */
const stop = () => running?.pid && process.kill(-running.pid, 'SIGTERM')
onShutdown(stop)

const built = await run(process.execPath, ['scripts/build.ts'])
process.exitCode =
  built === 0
    ? await run('tests/node_modules/.bin/netlify', [
        'dev',
        '--offline',
        '--internal-disable-edge-functions',
        '--port',
        String(port),
      ])
    : built

function run(command: string, parameters: string[]): Promise<number> {
  running = spawn(command, parameters, { env: environment, stdio: 'inherit', detached: true })
  return new Promise((resolve) => running?.once('close', (code) => resolve(code ?? 1)))
}
