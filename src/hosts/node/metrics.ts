// Counts requests and other events, for `/metrics` in Prometheus format.

import { TrieRouter } from 'hono/router/trie-router'
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import { ADDRESSES } from '../../catalogue/published/addresses.ts'
import { API_PATHS, type ApiPath, areValid, type PathParameters } from '../../domain/api/routes.ts'
import type { GitStore } from '../../git/git-store.ts'
import { patternOf } from '../../routes/app.ts'
import type { Search } from '../../search/search.ts'
import type { StateStore } from '../../state/state-store.ts'
import { VERSION } from '../../version.ts'
import type { AnsweredRequest } from './http/request-log.ts'
import { openStatusMetrics, type StatusSources } from './status-metrics.ts'
import type { Outcome } from './webhooks/attempt.ts'

/** The metrics of a server. */
export type Metrics = ReturnType<typeof openMetrics>

const SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10]

/** Creates metrics that start at zero. @param commit of the code, if it is known */
export function openMetrics(commit?: string) {
  const registers = [new Registry()]
  const [registry] = registers as [Registry]
  const time = (name: string, help: string, labelNames: string[]) =>
    new Histogram({ name, help, labelNames, buckets: SECONDS, registers })
  const requestLabels = ['route', 'method', 'status']
  const requests = time('hub_request_duration_seconds', 'Requests by route, method and status.', requestLabels)
  const bytes = new Counter({ name: 'hub_sent_bytes_total', help: 'Bytes sent, including headers.', registers })
  const gitHelp = 'Calls to the git store by verb; a commit is one attempt of a publish.'
  const git = time('hub_git_duration_seconds', gitHelp, ['verb', 'outcome'])
  const searches = time('hub_search_duration_seconds', 'Search queries.', ['outcome'])
  const states = time('hub_state_duration_seconds', 'Calls of requests to the store for tokens and sessions.', [
    'operation',
    'outcome',
  ])
  const builds = new Counter({
    name: 'hub_builds_total',
    help: 'Builds, and failures of builds or of the builder.',
    labelNames: ['outcome'],
    registers,
  })
  const publishes = new Counter({
    name: 'hub_publishes_total',
    help: 'Publishes: published, unchanged (also dry runs), refused because of what the client sent, or failed.',
    labelNames: ['outcome'],
    registers,
  })
  for (const outcome of ['published', 'unchanged', 'refused', 'failed']) publishes.inc({ outcome }, 0)
  const events = new Counter({
    name: 'hub_webhook_events_total',
    help: 'Deliveries of events: delivered or failed; and events that were given up or found no room.',
    labelNames: ['outcome'],
    registers,
  })
  for (const outcome of ['delivered', 'failed', 'given_up', 'no_room']) events.inc({ outcome }, 0)
  for (const outcome of ['done', 'failed']) builds.inc({ outcome }, 0)
  const status = openStatusMetrics(registry, { version: VERSION, commit: commit ?? '' })
  collectDefaultMetrics({ register: registry })
  const measure = async <Value>(histogram: Histogram, labels: Record<string, string>, work: () => Promise<Value>) => {
    const stop = histogram.startTimer(labels)
    try {
      const value = await work()
      stop({ outcome: outcomeOf(value) })
      return value
    } catch (error) {
      stop({ outcome: 'error' })
      throw error
    }
  }
  return {
    countRequest({ method, path, status, ms, bytes: sent }: Omit<AnsweredRequest, 'sender'>): void {
      const route = routeOf(method, path)
      if (route === 'publishVersion') publishes.inc({ outcome: outcomeOfPublish(status) })
      const labels = { route, method: METHODS.has(method) ? method : 'other', status }
      requests.observe(labels, ms / 1000)
      bytes.inc(sent)
    },
    /** Wraps a store so that its calls are counted; a commit is one attempt of a publish. */
    countGit: <Git extends GitStore>(store: Git): Git => ({
      ...store,
      listFolder: (...given) => measure(git, { verb: 'list_folder' }, () => store.listFolder(...given)),
      readFolder: (...given) => measure(git, { verb: 'read_folder' }, () => store.readFolder(...given)),
      readBlob: (...given) => measure(git, { verb: 'read_blob' }, () => store.readBlob(...given)),
      commit: (...given) => measure(git, { verb: 'commit' }, () => store.commit(...given)),
    }),
    /** Wraps a search so that its latency is recorded. */
    timeSearch: (search: Search): Search => ({
      ...search,
      find: (question) => measure(searches, {}, () => search.find(question)),
    }),
    /** Wraps a state store so that the latency of its calls is recorded. */
    timeState<State extends StateStore>(state: State): State {
      const timed = <Verb extends keyof StateStore>(verb: Verb) => {
        const call = state[verb] as (...given: unknown[]) => Promise<unknown>
        return (...given: unknown[]) => measure(states, { operation: verb }, () => call(...given))
      }
      return { ...state, ...Object.fromEntries(STATE_VERBS.map((verb) => [verb, timed(verb)])) }
    },
    /** Records that a new build is being served. @param began when the builder started to read its content */
    noteBuild(seconds: number): void {
      status.setBuildSeconds(seconds)
      builds.inc({ outcome: 'done' })
    },
    countEvent: (outcome: Outcome) => events.inc({ outcome }),
    noteFailedBuild: () => builds.inc({ outcome: 'failed' }),
    /** Responds with all metrics. */
    async respond(sources: StatusSources): Promise<Response> {
      await status.update(sources)
      const headers = { 'Content-Type': registry.contentType, 'Cache-Control': 'no-store' }
      return new Response(await registry.metrics(), { headers })
    },
  }
}

/** The calls of a state store. */
const STATE_VERBS: readonly (keyof StateStore)[] = ['get', 'set', 'add', 'replace', 'delete', 'list', 'removeExpired']
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'OPTIONS', 'PUT', 'PATCH', 'DELETE'])
/** First path segments that are not owner handles. */
const PLACES: ReadonlySet<string> = new Set(
  ADDRESSES.map(({ path }) => path.split('/')[1] ?? '').filter((first) => /^[a-z-]+$/.test(first)),
)

const paths = new TrieRouter<ApiPath>()
for (const one of API_PATHS) paths.add('ALL', patternOf(one.path), one)

/** Returns the label of a request, from a fixed set: a route, a first path segment, or `page`. */
export function routeOf(method: string, path: string): string {
  const bare = path.replace(/(?<=.)\/?(?:[?#].*)?$/s, '')
  const [[[found, parameters] = []]] = paths.match('ALL', bare)
  if (found && areValid(parameters as PathParameters))
    return found.routes.get(method === 'HEAD' ? 'GET' : method)?.id ?? 'api'
  const [, first = ''] = bare.split('/', 2)
  return PLACES.has(first) ? first : 'page'
}

function outcomeOfPublish(status: number): string {
  if (status >= 500) return 'failed'
  return status >= 400 ? 'refused' : status === 201 ? 'published' : 'unchanged'
}

/** Returns the outcome of a call: the `kind` in the store's result. */
function outcomeOf(value: unknown): string {
  return typeof value === 'object' && value !== null && 'kind' in value ? String(value.kind) : 'done'
}
