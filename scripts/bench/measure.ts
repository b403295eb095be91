// Defines measurements, which are numbers with a baseline and a limit, and checks and prints them.

/** The limit of a measurement; `of` determines whether it applies to the number itself or to its ratio to the baseline. */
export type Limit = { of: 'measured' | 'ratio'; most: number } | { of: 'measured'; least: number }

/** One number from a part of the benchmark. */
export interface Measurement {
  name: string
  unit: 'ms' | 's' | 'kB' | 'MB' | 'requests/s' | 'share'
  measured: number
  /** The baseline: the value for the same work without the hub's code, measured in the same run. */
  floor?: number
  limit?: Limit
  /** Additional information, such as the amount of work. */
  note?: string
}

/** A measurement with its result, as shown in the table and the JSON. */
export interface Row extends Measurement {
  /** The number of prompts in the catalogue. */
  prompts: number
  /** The ratio to the baseline, inverted for rates. */
  ratio: number | undefined
  /** Whether the limit is met; undefined if there is none. */
  isKept: boolean | undefined
}

/** Checks a measurement against its limit. @param prompts the size of the catalogue */
export function checkLimit(measurement: Measurement, prompts: number): Row {
  const { measured, floor, unit, limit } = measurement
  const ratio = floor === undefined ? undefined : unit === 'requests/s' ? floor / measured : measured / floor
  return {
    prompts,
    ...measurement,
    ratio,
    isKept: limit && isWithin(limit, { measured, ratio }),
  }
}

function isWithin(limit: Limit, value: { measured: number; ratio: number | undefined }): boolean {
  if ('least' in limit) return value.measured >= limit.least
  return (value[limit.of] ?? Number.NaN) <= limit.most
}

/** Returns the cells of a table of the rows, with a head. */
export function tableOf(rows: readonly Row[]): string[][] {
  const cells = rows.map(({ prompts, name, unit, measured, floor, ratio, limit, isKept, note }) => [
    String(prompts),
    name,
    `${formatNumber(measured)} ${unit}`,
    floor === undefined ? '' : `${formatNumber(floor)} ${unit}`,
    ratio === undefined ? '' : ratio.toFixed(2),
    limit ? formatLimit(limit, unit) : '',
    isKept === undefined ? '' : isKept ? 'pass' : 'FAIL',
    note ?? '',
  ])
  return [['prompts', 'name', 'measured', 'raw floor', 'ratio', 'limit', '', 'note'], ...cells]
}

function formatLimit(limit: Limit, unit: string): string {
  if ('least' in limit) return `≥ ${limit.least} ${unit}`
  if (limit.of === 'ratio') return `ratio ≤ ${limit.most}`
  return `≤ ${limit.most} ${unit}`
}

function formatNumber(value: number): string {
  return value.toFixed(value >= 100 ? 0 : value >= 1 ? 2 : 3)
}

/** Returns a quantile of the samples. @param share 0.5 for the median */
export function quantile(samples: readonly number[], share: number): number {
  const ordered = [...samples].sort((a, b) => a - b)
  return ordered[Math.min(ordered.length - 1, Math.floor(ordered.length * share))] ?? Number.NaN
}

/** Returns the duration of some work, in milliseconds. */
export function time(work: () => unknown): number {
  const started = performance.now()
  work()
  return performance.now() - started
}

/** Returns the time until a promise resolves, in milliseconds. */
export async function timeAsync(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}
