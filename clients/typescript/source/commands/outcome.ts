// Reads the output of a test runner: promptfoo's JSON, JUnit XML, the benchmark.json of Agent Skills, or a scanner's SARIF. The output may contain anything that a model wrote, so it is read with a limit, in linear time, and an XML file without entities and without a document type.
import type { ReportedOutcome } from '../prompt-hub.ts'
import { isObject } from '../records.ts'
import { invalid } from './define.ts'
import { readXml, XmlProblem } from './xml.ts'

/** The size of an output file that is read. */
export const MAX_OUTPUT_BYTES = 33_554_432
const WITH_SKILL = 'with_skill'
const NOT_RUN = new Set(['notrun', 'disabled', 'skipped'])
/** Deeper JSON is refused, as by every parser that recurses. */
const MAX_JSON_DEPTH = 900

/** The outcome of a test suite. */
export type Outcome = ReportedOutcome & { skipped: number }

/** Reads the output of a test runner, and finds out which one wrote it. @param shown names the file in an error */
export function readOutcome(bytes: Uint8Array, shown: string): Outcome {
  try {
    if (bytes.length > MAX_OUTPUT_BYTES) throw refused(`expected at most ${MAX_OUTPUT_BYTES} bytes`)
    const text = decode(bytes)
    const outcome = /^[ \t\r\n]*</.test(text) ? readJunit(text) : readJson(text)
    if (outcome.passed + outcome.failed + outcome.skipped === 0) throw refused('expected at least one test case')
    return Object.fromEntries(Object.entries(outcome).filter(([, value]) => value !== null)) as unknown as Outcome
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    throw invalid(`${shown}: cannot read the output of a test runner: ${error.message}`)
  }
}

/** Why an output cannot be read; the error that users see names the file. */
class Refused extends Error {}
const refused = (reason: string): Refused => new Refused(reason)

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw refused('expected UTF-8')
  }
}

function readJson(text: string): Outcome {
  const value = parse(text)
  if (isObject(value) && isObject(value.results)) return readPromptfoo(value, value.results)
  if (isObject(value) && 'run_summary' in value) return readBenchmark(value)
  if (isObject(value) && Array.isArray(value.runs) && value.version === '2.1.0') return readSarif(value.runs)
  throw refused(
    'expected the JSON of promptfoo, with results, the benchmark.json of Agent Skills, with run_summary, or SARIF 2.1.0, with runs',
  )
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    if (isShallow(value, MAX_JSON_DEPTH)) return value
  } catch {
    // The error is thrown below.
  }
  throw refused('expected the JSON of promptfoo, JUnit XML, the benchmark.json of Agent Skills, or SARIF')
}

function isShallow(value: unknown, left: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return left > 0 && Object.values(value).every((each) => isShallow(each, left - 1))
}

/** https://www.promptfoo.dev/docs/configuration/outputs */
function readPromptfoo(value: Record<string, unknown>, results: Record<string, unknown>): Outcome {
  const { stats } = results
  if (!isObject(stats)) throw refused('expected results.stats in the JSON of promptfoo')
  const passed = countOf(stats, 'successes', 'results.stats')
  const failed = countOf(stats, 'failures', 'results.stats') + countOf(stats, 'errors', 'results.stats', 0)
  const cases = Array.isArray(results.results) ? results.results.filter(isObject) : []
  const scores = cases.map(({ score }) => scoreOf(score)).filter((score) => score !== null)
  const isComplete = cases.length > 0 && scores.length === cases.length && cases.length === passed + failed
  const providers = new Set(cases.flatMap(({ provider }) => (isObject(provider) ? [provider.id] : [])))
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length
  return {
    passed,
    failed,
    skipped: 0,
    score: isComplete ? rounded(mean) : rateOf(passed, failed),
    model: providers.size === 1 ? lineOf([...providers][0]) : null,
    url: urlOf(value.shareableUrl),
    ...timeOf(results.timestamp),
  }
}

/** https://agentskills.io/skill-creation/evaluating-skills: the runs with the skill count, not those without. */
function readBenchmark(value: Record<string, unknown>): Outcome {
  if (!Array.isArray(value.runs))
    throw refused('this benchmark.json has only rates; expected runs, with the numbers of each run')
  let [passed, failed] = [0, 0]
  for (const [number, run] of value.runs.entries()) {
    const result: unknown = isObject(run) ? run.result : undefined
    const where = `runs.${number}.result`
    if (!isObject(result)) throw refused(`expected ${where} in benchmark.json`)
    if (run.configuration !== WITH_SKILL) continue
    const good = countOf(result, 'passed', where)
    const total = countOf(result, 'total', where, good + countOf(result, 'failed', where, 0))
    const bad = countOf(result, 'failed', where, total - good)
    if (good + bad !== total) throw refused(`${where}: ${good} passed and ${bad} failed are not ${total}`)
    passed += good
    // The run ended with an error before anything could be checked.
    failed += total === 0 && countOf(result, 'errors', where, 0) > 0 ? 1 : bad
  }
  const summary = isObject(value.run_summary) ? value.run_summary[WITH_SKILL] : undefined
  const mean = isObject(summary) && isObject(summary.pass_rate) ? scoreOf(summary.pass_rate.mean) : null
  const metadata = isObject(value.metadata) ? value.metadata : {}
  return {
    passed,
    failed,
    skipped: 0,
    score: mean === null ? rateOf(passed, failed) : rounded(mean),
    model: lineOf(metadata.executor_model),
    url: null,
    ...timeOf(metadata.timestamp),
  }
}

/** https://docs.oasis-open.org/sarif/sarif/v2.1.0: an error counts as failed, all else as passed. A run that found nothing is one that passed, unless it says that it did not succeed. */
function readSarif(runs: readonly unknown[]): Outcome {
  let [passed, failed] = [0, 0]
  for (const [number, run] of runs.entries()) {
    if (!isObject(run) || !Array.isArray(run.results)) throw refused(`expected runs.${number}.results in SARIF`)
    const levels = levelsOf(run)
    const bad = run.results.filter((result) => isObject(result) && isError(result, levels)).length
    const isBroken =
      Array.isArray(run.invocations) &&
      run.invocations.some((each) => isObject(each) && each.executionSuccessful === false)
    failed += bad + Number(isBroken)
    passed += Math.max(run.results.length, isBroken ? 0 : 1) - bad
  }
  return { passed, failed, skipped: 0, score: rateOf(passed, failed), model: null, url: null }
}

/** A part of the tool of a run, with the levels of its rules by number and by ID. */
interface Part {
  guid: unknown
  name: unknown
  levels: readonly unknown[]
  byId: ReadonlyMap<unknown, unknown>
}

/** The levels of the rules of a run; by ID, those of all parts. */
interface Levels extends Pick<Part, 'byId'> {
  driver: Part
  extensions: readonly Part[]
}

function levelsOf({ tool }: Record<string, unknown>): Levels {
  const { driver, extensions } = isObject(tool) ? tool : {}
  const all = new Map<unknown, unknown>()
  const read = (part: unknown): Part => {
    const { guid, name, rules } = isObject(part) ? part : {}
    const byId = new Map<unknown, unknown>()
    const levels = (Array.isArray(rules) ? rules : []).map((rule: unknown) => {
      const { id, defaultConfiguration } = isObject(rule) ? rule : {}
      const level = isObject(defaultConfiguration) ? defaultConfiguration.level : undefined
      for (const known of [byId, all]) if (typeof id === 'string' && known.get(id) === undefined) known.set(id, level)
      return level
    })
    return { guid, name, levels, byId }
  }
  const first = read(driver)
  return { driver: first, extensions: (Array.isArray(extensions) ? extensions : []).map(read), byId: all }
}

/** Finds the part that a reference names. @returns undefined for one that is not there, or is not the only one */
function findPart(reference: unknown, { driver, extensions }: Levels): Part | undefined {
  if (!isObject(reference)) return undefined
  const { index = -1, guid, name } = reference
  if (index !== -1) return typeof index === 'number' ? extensions[index] : undefined
  const [key, wanted] = isNone(guid) ? (['name', name] as const) : (['guid', guid] as const)
  if (isNone(wanted)) return driver
  const [found, ...others] = [driver, ...extensions].filter((part) => part[key] === wanted)
  return others.length > 0 ? undefined : found
}

const isNone = (value: unknown) => value === undefined || value === null

/** Whether a result counts as failed, also because nobody can say what its rule is. */
function isError({ kind = 'fail', level, rule, ruleIndex, ruleId }: Record<string, unknown>, levels: Levels) {
  if (kind !== 'fail') return false
  if (!isNone(level)) return level === 'error'
  const { index = ruleIndex, id = ruleId, toolComponent } = isObject(rule) ? rule : {}
  const part = toolComponent === undefined ? levels.driver : findPart(toolComponent, levels)
  if (!part) return true
  const usual = typeof index === 'number' ? part.levels[index] : undefined
  return (usual ?? (toolComponent === undefined ? levels : part).byId.get(id)) === 'error'
}

interface Counts {
  passed: number
  failed: number
  skipped: number
}

/** An open element of a JUnit file that is not in a test case, and the outcomes in it. */
class Suite {
  readonly counts: Counts = { passed: 0, failed: 0, skipped: 0 }
  readonly #tests: number | undefined
  readonly #failed: number

  constructor(attributes: ReadonlyMap<string, string>) {
    this.#tests = statedIn(attributes, 'tests')
    this.#failed = (statedIn(attributes, 'failures') ?? 0) + (statedIn(attributes, 'errors') ?? 0)
  }

  /** Its outcomes, with what only its header counts: a suite that could not run has no test case that says so. */
  close(): Counts {
    const { counts } = this
    const missing = Math.max(0, this.#failed - counts.failed)
    counts.failed += missing
    if (this.#tests !== undefined) {
      // Test cases that failed, but are listed without a failure, have been counted as passed.
      const more = counts.passed + counts.failed + counts.skipped - this.#tests
      counts.passed -= Math.max(0, Math.min(missing, more, counts.passed))
    }
    return counts
  }
}

/** Counts the test cases of a JUnit file. https://github.com/testmoapp/junitxml */
function readJunit(text: string): Outcome {
  const file = new Suite(new Map())
  const suites = [file]
  let depth = 0
  let open: { depth: number; outcome: keyof Counts } | undefined
  const start = (name: string, attributes: ReadonlyMap<string, string>) => {
    const here = depth++
    if (here === 0 && !['testsuites', 'testsuite'].includes(name))
      throw refused('expected JUnit XML, with testsuites or testsuite')
    const isBad = name === 'failure' || name === 'error'
    const innermost = suites.at(-1)!
    if (name === 'testcase') {
      if (open) throw refused('expected no testcase in a testcase')
      open = { depth: here, outcome: NOT_RUN.has(attributes.get('status') ?? '') ? 'skipped' : 'passed' }
    } else if (!open) {
      if (isBad) innermost.counts.failed++
      suites.push(new Suite(['testsuites', 'testsuite'].includes(name) ? attributes : new Map()))
    } else if (here === open.depth + 1) {
      if (isBad) open.outcome = 'failed'
      else if (name === 'skipped' && open.outcome === 'passed') open.outcome = 'skipped'
    }
  }
  const end = () => {
    depth--
    if (!open) {
      const closed = suites.pop()!.close()
      for (const key of ['passed', 'failed', 'skipped'] as const) suites.at(-1)!.counts[key] += closed[key]
    } else if (depth === open.depth) {
      suites.at(-1)!.counts[open.outcome]++
      open = undefined
    }
  }
  try {
    readXml(text, start, end)
  } catch (error) {
    throw error instanceof XmlProblem ? refused(error.message) : error
  }
  const { passed, failed, skipped } = file.counts
  return { passed, failed, skipped, score: rateOf(passed, failed), model: null, url: null }
}

/** The count in the header of a suite. What cannot be read may be a failure, so it is refused. */
function statedIn(attributes: ReadonlyMap<string, string>, key: string): number | undefined {
  const value = attributes.get(key)?.trim() ?? ''
  if (value === '') return undefined
  if (!/^[0-9]{1,15}$/.test(value)) throw refused(`${key}: expected a whole number in the header of each suite`)
  return Number(value)
}

function countOf(record: Record<string, unknown>, key: string, where: string, missing?: number): number {
  const value = Object.hasOwn(record, key) ? record[key] : missing
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  throw refused(`${where}.${key}: expected a whole number`)
}

const scoreOf = (value: unknown): number | null =>
  typeof value === 'number' && value >= 0 && value <= 1 ? value : null

const rateOf = (passed: number, failed: number): number | null =>
  passed + failed > 0 ? rounded(passed / (passed + failed)) : null

/** Rounds down to six digits, so that no score becomes 1 that is not. */
const rounded = (score: number): number => Math.floor(score * 1_000_000 + 1e-9) / 1_000_000

const lineOf = (value: unknown): string | null =>
  typeof value === 'string' && /^[!-~](?:[ -~]{0,198}[!-~])?$/.test(value) ? value : null

const urlOf = (value: unknown): string | null =>
  typeof value === 'string' && /^https:\/\/[!-~]{1,400}$/.test(value) ? value : null

function timeOf(value: unknown): { at?: string } {
  const found = typeof value === 'string' && /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d{1,9})?Z$/.exec(value)
  return found ? { at: `${found[1]}Z` } : {}
}
