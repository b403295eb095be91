// Defines a measurement: a number with its baseline and its limit, and how it is judged and printed.

/** What must hold; `of` says whether the number itself is judged, its ratio to the floor, or what it adds to the floor. */
export type Limit = { of: 'measured' | 'ratio' | 'added'; most: number } | { of: 'measured'; least: number }

/** One number, as a part of the benchmark hands it over. */
export interface Measurement {
  name: string
  unit: 'ms' | 's' | 'kB' | 'MB' | 'requests/s' | 'requests' | 'files'
  measured: number
  /** The same work without our code, measured in the same run. */
  floor?: number
  /** What the work adds to its floor, where it was taken pair by pair; else the difference of the two. */
  added?: number
  limit?: Limit
  /** How much was done, where that tells something. */
  note?: string
}

/** A measurement with its verdict, as it stands in the table and in the JSON. */
export interface Row extends Measurement {
  /** Prompts in the catalogue. */
  prompts: number
  /** How many times the floor; for `requests/s` how many times as slow. */
  ratio: number | undefined
  /** Undefined without a limit. */
  isKept: boolean | undefined
}

/** Judges a measurement. @param prompts size of the catalogue it was taken on */
export function judge(measurement: Measurement, prompts: number): Row {
  const { measured, floor, unit, limit, added } = measurement
  const ratio = floor === undefined ? undefined : unit === 'requests/s' ? floor / measured : measured / floor
  return {
    prompts,
    ...measurement,
    ratio,
    isKept: limit && isWithin(limit, { measured, ratio, added: added ?? measured - (floor ?? Number.NaN) }),
  }
}

function isWithin(limit: Limit, value: { measured: number; ratio: number | undefined; added: number }): boolean {
  if ('least' in limit) return value.measured >= limit.least
  return (value[limit.of] ?? Number.NaN) <= limit.most
}

/** The rows as a table for people. */
export function formatTable(rows: readonly Row[]): string {
  const cells = rows.map(({ prompts, name, unit, measured, floor, ratio, added, limit, isKept, note }) => [
    String(prompts),
    name,
    `${formatNumber(measured)} ${unit}`,
    floor === undefined ? '' : `${formatNumber(floor)} ${unit}`,
    ratio === undefined ? '' : ratio.toFixed(2),
    limit ? formatLimit(limit, unit) : '',
    isKept === undefined ? '' : isKept ? 'pass' : 'FAIL',
    [...(added === undefined ? [] : [`adds ${formatNumber(added)} ${unit}`]), ...(note ? [note] : [])].join('; '),
  ])
  const table = [['prompts', 'name', 'measured', 'raw floor', 'ratio', 'limit', '', 'note'], ...cells]
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)))
  return table
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function formatLimit(limit: Limit, unit: string): string {
  if ('least' in limit) return `≥ ${limit.least} ${unit}`
  if (limit.of === 'ratio') return `ratio ≤ ${limit.most}`
  return `${limit.of === 'added' ? 'floor + ' : '≤ '}${limit.most} ${unit}`
}

function formatNumber(value: number): string {
  return value.toFixed(value >= 100 ? 0 : value >= 1 ? 2 : 3)
}

/** The value below which a share of the samples lies. @param share 0.5 is the median */
export function quantile(samples: readonly number[], share: number): number {
  const ordered = [...samples].sort((a, b) => a - b)
  return ordered[Math.min(ordered.length - 1, Math.floor(ordered.length * share))] ?? Number.NaN
}

/** How long some work takes, in milliseconds. */
export function time(work: () => unknown): number {
  const started = performance.now()
  work()
  return performance.now() - started
}

/** How long it takes until a promise is kept, in milliseconds. */
export async function timeAsync(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}
