// Starts a temporary hub with the starter catalogue, for scripts that examine pages.
import { resolve } from 'node:path'
import { readConfig } from '../../../src/config.ts'
import { openMachines } from '../../hubs/machines.ts'
import { setup as makePages } from '../../make-pages.ts'

/**
 * Starts a hub on the usual port, which the pages show; `PORT` sets another one.
 *
 * @throws if the hub does not start, with its messages
 */
export async function openScratchHub() {
  const { port } = readConfig(process.env)
  const address = `http://localhost:${port}`
  makePages()
  const machines = openMachines()
  const machine = machines.make({
    SITE_URL: address,
    PORT: String(port),
    CONTENT_DIR: resolve('content'),
    RATE_LIMIT_PER_MINUTE: '0',
    LOG_REQUESTS: 'off',
  })
  const hasPages = async () => (await fetch(address)).ok
  try {
    const { run } = await machine.start({}, hasPages)
    const close = async () => {
      await run.end()
      machines.close()
    }
    return { address, close }
  } catch (error) {
    machines.close()
    throw error
  }
}
