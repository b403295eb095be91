// Measures reads and writes with each state driver, compared with reading a file, and with writing and syncing one.
import { closeSync, fsyncSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BlobsServer } from '@netlify/blobs/server'
import type { OpenStateStore } from '../../src/ports/state-store.ts'
import { openBlobsState } from '../../src/stores/state/state-netlify.ts'
import { openPostgresState } from '../../src/stores/state/state-postgres.ts'
import { openSqliteState } from '../../src/stores/state/state-sqlite.ts'
import { type Measurement, quantile, timeAsync } from './measure.ts'
import { startPostgres } from './postgres.ts'

/** Number of keys in each median. */
const KEYS = 300
/** A value about as long as a token's record. */
const VALUE = JSON.stringify({ text: 'x'.repeat(300) })

/** Measures every driver in turn. Until 2026-11-23, the Node server kept its state in the last one, Netlify's development server. */
export async function measureState(): Promise<Measurement[]> {
  const dir = mkdtempSync(join(tmpdir(), 'hub-bench-state-'))
  const postgres = await startPostgres()
  const state = new BlobsServer({ directory: join(dir, 'state'), token: 'bench', logger: () => {} })
  const { port } = await state.start()
  try {
    const floor = await measureFiles(dir)
    const access = { edgeURL: `http://localhost:${port}`, siteID: 'local', token: 'bench' }
    return [
      ...(await measureStore('SQLite', await openSqliteState(join(dir, 'state.db')), floor)),
      ...(await measureStore('PostgreSQL', await openPostgresState(await postgres.createDatabase()), floor)),
      ...(await measureStore(
        'Netlify Blobs, development server',
        { ...openBlobsState(access), close: async () => {} },
        floor,
      )),
    ]
  } finally {
    await state.stop()
    await postgres.close()
    rmSync(dir, { recursive: true, force: true })
  }
}

interface Floor {
  get: number
  set: number
}

async function measureFiles(dir: string): Promise<Floor> {
  const path = (number: number) => join(dir, `file-${number}`)
  const write = async (number: number) => {
    const file = openSync(path(number), 'w')
    writeSync(file, VALUE)
    fsyncSync(file)
    closeSync(file)
  }
  return { set: await medianOf(write), get: await medianOf(async (number) => readFileSync(path(number))) }
}

async function measureStore(name: string, store: OpenStateStore, floor: Floor): Promise<Measurement[]> {
  const key = (number: number) => `tokens/${number}`
  const set = await medianOf((number) => store.set(key(number), VALUE))
  const get = await medianOf((number) => store.get(key(number)))
  await store.close()
  return [
    { name: `state: set, ${name}`, unit: 'ms', measured: set, floor: floor.set },
    { name: `state: get, ${name}`, unit: 'ms', measured: get, floor: floor.get },
  ]
}

async function medianOf(work: (number: number) => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let number = 0; number < KEYS; number++) times.push(await timeAsync(() => work(number)))
  return quantile(times, 0.5)
}
