// Keeps the sliding window in a file, only for the Netlify dev server, where each request runs in a worker whose memory is lost afterwards.
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { RateLimit, RateLimiter } from '../../ports/rate-limiter.ts'
import { UNLIMITED, waitSeconds } from './rate-limiter-memory.ts'

/** Returns a limiter that all workers on this machine share. @param path the path of its file, which is created if missing */
export function limitInFile({ requests, windowMs }: RateLimit, path: string): RateLimiter {
  if (requests === 0) return UNLIMITED
  mkdirSync(dirname(path), { recursive: true })
  const database = new DatabaseSync(path, { timeout: 2_000 })
  database.exec(
    'PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS requests (client TEXT NOT NULL, at INTEGER NOT NULL)',
  )
  return {
    take(key) {
      const time = millisecondsSinceBoot()
      database.exec('BEGIN IMMEDIATE')
      try {
        // Times in the future were recorded before the machine was restarted.
        database.prepare('DELETE FROM requests WHERE at <= ? OR at > ?').run(time - windowMs, time)
        const row = database
          .prepare('SELECT count(*) AS count, min(at) AS oldest FROM requests WHERE client = ?')
          .get(key)
        if (Number(row?.count) >= requests) return waitSeconds(Number(row?.oldest), windowMs, time)
        database.prepare('INSERT INTO requests VALUES (?, ?)').run(key, time)
        return 0
      } finally {
        database.exec('COMMIT')
      }
    },
  }
}

/** Returns a monotonic clock shared by all processes of the machine. */
function millisecondsSinceBoot(): number {
  return Number(process.hrtime.bigint() / 1_000_000n)
}
