// `node scripts/healthy.ts`: a container's health check; exits with 0 if the hub on this machine's PORT is serving.
import { readConfig } from '../src/config.ts'
import { HEALTH_ADDRESS } from '../src/domain/api/addresses.ts'

const { port } = readConfig(process.env)
const answer = await fetch(`http://localhost:${port}${HEALTH_ADDRESS}`).catch(() => undefined)
process.exitCode = answer?.ok ? 0 : 1
