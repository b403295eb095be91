// Runs the official clients against the endpoint in this process.
import { afterAll } from 'vitest'
import { ENDPOINT, openMcpHub } from '../hubs/mcp.ts'
import { testClients } from './clients.ts'

const hub = openMcpHub('content')
afterAll(() => hub.close())

testClients(() => ENDPOINT, hub.fetch)
