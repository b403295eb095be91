// Tests the benchmark of sequential reads against a local server: it reads both addresses in turn, and counts every read.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { formatHistogram, measureReads } from '../../scripts/bench/reads.ts'

const noSite = () => Promise.reject(new Error('no site'))

test('reads both addresses 1,000 times in turn over one connection', async () => {
  vi.spyOn(console, 'log').mockImplementation(() => {})
  const asked = new Map<string, number>()
  let sockets = 0
  let [running, most] = [0, 0]
  const server = createServer((request, answer) => {
    most = Math.max(most, ++running)
    asked.set(request.url!, (asked.get(request.url!) ?? 0) + 1)
    answer.end('text', () => running--)
  }).on('connection', () => sockets++)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const rows = await measureReads(noSite, { url, owner: 'acme', name: 'a' })
  expect([...asked]).toEqual([
    ['/api/v1/repos/acme/a/raw', 1_050],
    ['/data/v1/repos/acme/a/raw.txt', 1_050],
  ])
  expect([sockets, most]).toEqual([2, 1])
  expect(rows.map(({ name }) => name)).toEqual([
    ...['reads: raw, p50', 'reads: raw, p99', 'reads: raw, slowest'],
    ...['reads: data/v1, p50', 'reads: data/v1, p99', 'reads: data/v1, slowest'],
  ])
  for (const { measured } of rows) expect(measured).toBeGreaterThan(0)
})

test('fails if a read fails', async () => {
  const server = createServer((_request, answer) => answer.writeHead(429).end())
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await expect(measureReads(noSite, { url, owner: 'acme', name: 'a' })).rejects.toThrow('responded with 429')
})

test('a histogram counts every read', () => {
  const lines = formatHistogram([...Array.from({ length: 99 }, (_, at) => at / 10), 500]).split('\n')
  const counts = lines.map((line) => Number(/(\d+)$/.exec(line)?.[1]))
  expect(lines).toHaveLength(12)
  expect(counts.reduce((sum, count) => sum + count)).toBe(100)
  expect(lines[0]).toMatch(/^ +0\.00 ms +#+ +\d+$/)
})
