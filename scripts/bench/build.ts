// Measures the parts of a build in this process, next to plain reading and writing of the same bytes.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type DataFile, listDataFiles } from '../../src/domain/catalogue/data-files.ts'
import { digestText } from '../../src/ports/measure.ts'
import { writeFiles } from '../../src/stores/content/write-files.ts'
import { type Measurement, type Timed, time } from './measure.ts'
import type { BenchSite } from './site.ts'

/** How many files each side writes before it is the other's turn: so whatever else the machine does slows both alike. */
const SLICE_FILES = 500

/** Measures the parts of a build; rebuild.ts measures the whole. */
export function measureBuild(site: BenchSite): Measurement[] {
  return [
    {
      name: 'build: content',
      unit: 'ms',
      measured: site.content.ms,
      floor: time(() => readEveryFile(site.settings.CONTENT_DIR!)),
      note: `${site.filesRead} files read and parsed, ${sayProcessor(site.content)}; floor: reading them`,
    },
    measureDataFiles(site),
    { name: 'build: search index', unit: 'ms', measured: site.index.ms, note: sayProcessor(site.index) },
  ]
}

function sayProcessor({ processorMs }: Timed): string {
  return `${(processorMs / 1000).toFixed(1)} s of processor time`
}

function readEveryFile(dir: string): void {
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) readFileSync(join(entry.parentPath, entry.name), 'utf8')
  }
}

function measureDataFiles({ dir, catalogue }: BenchSite): Measurement {
  const target = join(dir, 'data-files')
  const files = listDataFiles(catalogue, digestText)
  const total = { files: 0, bytes: 0, ours: 0, raw: 0 }
  let slice: DataFile[]
  do {
    slice = []
    total.ours += time(() => (total.bytes += writeFiles(join(target, 'ours'), takeSlice(files, slice)).bytes))
    total.raw += time(() => writeRaw(join(target, 'raw'), slice))
    total.files += slice.length
  } while (slice.length === SLICE_FILES)
  rmSync(target, { recursive: true })
  return {
    name: 'build: data files',
    unit: 'ms',
    measured: total.ours,
    floor: total.raw,
    limit: { of: 'ratio', most: 3 },
    note: `${total.files} files, ${Math.round(total.bytes / 1e6)} MB; floor: writing the same bytes`,
  }
}

/** Passes the next files on as they are made, and collects them. */
function* takeSlice(files: Generator<DataFile>, slice: DataFile[]): Generator<DataFile> {
  while (slice.length < SLICE_FILES) {
    const next = files.next()
    if (next.done) return
    slice.push(next.value)
    yield next.value
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
