// Runs the official clients against the endpoint in this process.
import { afterAll, describe } from 'vitest'
import { testClients } from './clients.ts'
import { ENDPOINT, openMcpHub } from './open-hub.ts'

const hub = openMcpHub('content')
afterAll(() => hub.close())

describe('in this process', () => {
  testClients(() => ENDPOINT, hub.fetch)
})
