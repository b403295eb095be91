// Owns measuring the build: its parts in this process, beside the raw reading and writing of the same bytes, and the whole as a process of its own.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type DataFile, listDataFiles } from '../../src/domain/data-files.ts'
import { writeFiles } from '../../src/stores/site-files.ts'
import { type Measurement, time } from './measure.ts'
import { runNode } from './processes.ts'
import { type BenchSite, PROJECT_DIR } from './site.ts'

const ROUNDS = 2
const BUILD_DEADLINE_MS = 600_000

/** Measures the parts of a build and the whole. */
export async function measureBuild(site: BenchSite): Promise<Measurement[]> {
  const content: Measurement = {
    name: 'build: content',
    unit: 'ms',
    measured: site.contentMs,
    floor: time(() => readEveryFile(site.settings.CONTENT_DIR!)),
    note: `${site.filesRead} files read and parsed; floor: reading them`,
  }
  const dataFiles = measureDataFiles(site)
  const index: Measurement = { name: 'build: search index', unit: 'ms', measured: site.indexMs }
  return [content, dataFiles, index, ...(await measureWhole(site, [content, dataFiles, index]))]
}

function readEveryFile(dir: string): void {
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) readFileSync(join(entry.parentPath, entry.name), 'utf8')
  }
}

/** The rounds take turns, and the fastest of each side counts: whatever else the machine does can only slow a round down. */
function measureDataFiles({ dir, catalogue }: BenchSite): Measurement {
  const files = [...listDataFiles(catalogue)]
  const target = join(dir, 'data-files')
  const timeFresh = (write: () => unknown) => {
    const took = time(write)
    rmSync(target, { recursive: true })
    return took
  }
  const ours: number[] = []
  const raw: number[] = []
  let bytes = 0
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(timeFresh(() => (bytes = writeFiles(target, listDataFiles(catalogue)).bytes)))
    raw.push(timeFresh(() => writeRaw(target, files)))
  }
  return {
    name: 'build: data files',
    unit: 'ms',
    measured: Math.min(...ours),
    floor: Math.min(...raw),
    limit: { of: 'ratio', most: 3 },
    note: `${files.length} files, ${Math.round(bytes / 1e6)} MB; floor: writing the same bytes`,
  }
}

/** The same system calls as the product's, and nothing else. */
function writeRaw(dir: string, files: readonly DataFile[]): void {
  const made = new Set<string>()
  for (const [path, text] of files) {
    const folder = dirname(path)
    if (!made.has(folder)) {
      mkdirSync(join(dir, folder), { recursive: true })
      made.add(folder)
    }
    writeFileSync(join(dir, path), text)
  }
}

async function measureWhole(site: BenchSite, parts: readonly Measurement[]): Promise<Measurement[]> {
  const astro = join(dirname(createRequire(import.meta.url).resolve('astro/package.json')), 'bin/astro.mjs')
  const outDir = join(site.dir, 'whole/dist')
  const { seconds, usage, log } = await runNode(
    [astro, 'build', '--outDir', outDir],
    { cwd: PROJECT_DIR, settings: { ...site.settings, ASTRO_TELEMETRY_DISABLED: '1' } },
    BUILD_DEADLINE_MS,
  )
  const pages = readdirSync(outDir, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'))
  rmSync(dirname(outDir), { recursive: true })
  // The process says itself how long its parts took: they are slower there than alone, and the difference is not the pages'.
  for (const line of log.split('\n')) if (line.includes('[prompt-hub]')) console.error(`  ${line.trim()}`)
  const partsMs = parts.reduce((sum, { measured }) => sum + measured, 0)
  return [
    {
      name: 'build: pages and start',
      unit: 's',
      measured: seconds - partsMs / 1000,
      note: `${pages.length} pages; what the whole takes beyond the parts above`,
    },
    {
      name: 'build: whole',
      unit: 's',
      measured: seconds,
      limit: { of: 'measured', most: 60 },
      ...(usage && { note: `${usage.processorSeconds.toFixed(1)} s of processor time` }),
    },
    ...(usage === undefined ? [] : [describeMemory(usage.peakBytes)]),
  ]
}

function describeMemory(peakBytes: number): Measurement {
  return {
    name: 'build: memory',
    unit: 'MB',
    measured: peakBytes / 1e6,
    limit: { of: 'measured', most: 2_000 },
    note: 'peak, with every process that the build starts',
  }
}
