// `npm start`: runs the hub. What Node compiles is kept for the next start, which then takes a quarter less processor time.
import { enableCompileCache } from 'node:module'
import { resolve } from 'node:path'
import { setFlagsFromString } from 'node:v8'

// Threads and other processes read the variable. If the folder is not writable, everything is compiled again.
process.env.NODE_COMPILE_CACHE ??= resolve('.hub/compiled')
enableCompileCache(process.env.NODE_COMPILE_CACHE)
// The flag `--max-semi-space-size` counts for this thread. For the others it would replace the limits that they are started with.
setFlagsFromString('--max-semi-space-size=0')
await import('./run-hub.ts')
