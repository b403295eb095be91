// Counts requests and other events, and serves `/metrics` in Prometheus format.
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { ADDRESSES, METRICS_ADDRESS } from '../domain/api/addresses.ts'
import { isPublishedAt, matchRoute } from '../domain/api/routes.ts'
import type { GitStore } from '../ports/git-store.ts'
import type { Search } from '../ports/search.ts'
import type { Health } from './health.ts'
import type { AnsweredRequest } from './http/http-server.ts'

/** The metrics of a server. */
export interface Metrics {
  countRequest(request: AnsweredRequest): void
  /** Wraps a store so that its calls are counted; a commit is one publish round. */
  countGit<Git extends GitStore>(git: Git): Git
  /** Wraps a search so that its latency is recorded. */
  timeSearch(search: Search): Search
  /** Records that a new build is being served. @param began when the builder started to read its content */
  noteBuild(began: Date): void
  /** Serves `/metrics`, and passes all other requests on. */
  withMetrics(answer: Answer, healthOf: () => Health): Answer
}

type Answer = (request: Request, ip: string) => Promise<Response>

const SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10]

/** Creates metrics that start at zero. */
export function openMetrics(): Metrics {
  const registers = [new Registry()]
  const [registry] = registers as [Registry]
  const time = (name: string, help: string, labelNames: string[]) =>
    new Histogram({ name, help, labelNames, buckets: SECONDS, registers })
  const requestLabels = ['route', 'method', 'status']
  const requests = time('hub_request_duration_seconds', 'Requests by route, method and status.', requestLabels)
  const bytes = new Counter({ name: 'hub_sent_bytes_total', help: 'Bytes sent, including headers.', registers })
  const gitHelp = 'Calls to the git store by verb; a commit is one round of publishing.'
  const git = time('hub_git_duration_seconds', gitHelp, ['verb', 'outcome'])
  const searches = time('hub_search_duration_seconds', 'Search queries.', ['outcome'])
  const build = new Gauge({
    name: 'hub_build_duration_seconds',
    help: 'Duration of the last update, from reading to serving.',
    registers,
  })
  const served = new Gauge({ name: 'hub_served', help: 'What is served.', labelNames: ['what'], registers })
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
    countRequest({ method, path, status, ms, bytes: sent }) {
      const labels = { route: routeOf(method, path), method: METHODS.has(method) ? method : 'other', status }
      requests.observe(labels, ms / 1000)
      bytes.inc(sent)
    },
    countGit: (store) => ({
      ...store,
      readFolder: (...given) => measure(git, { verb: 'read_folder' }, () => store.readFolder(...given)),
      readBlob: (...given) => measure(git, { verb: 'read_blob' }, () => store.readBlob(...given)),
      commit: (...given) => measure(git, { verb: 'commit' }, () => store.commit(...given)),
    }),
    timeSearch: (search) => ({
      ...search,
      find: (question) => measure(searches, {}, () => search.find(question)),
    }),
    noteBuild: (began) => build.set((Date.now() - began.getTime()) / 1000),
    withMetrics: (answer, healthOf) => async (request, ip) => {
      if (new URL(request.url).pathname !== METRICS_ADDRESS || request.method !== 'GET') return answer(request, ip)
      const { counts, broken, built_at } = healthOf()
      for (const [what, count] of Object.entries(counts ?? {})) served.set({ what }, count)
      served.set({ what: 'broken' }, broken.length)
      served.set({ what: 'built_at_seconds' }, built_at === null ? 0 : Date.parse(built_at) / 1000)
      const headers = { 'Content-Type': registry.contentType, 'Cache-Control': 'no-store' }
      return new Response(await registry.metrics(), { headers })
    },
  }
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'OPTIONS', 'PUT', 'PATCH', 'DELETE'])
/** First path segments that are not owner handles. */
const PLACES: ReadonlySet<string> = new Set(
  ADDRESSES.map(({ path }) => path.split('/')[1] ?? '').filter((first) => /^[a-z-]+$/.test(first)),
)

/** Returns the label of a request, from a fixed set: a route, a first path segment, or `page`. */
export function routeOf(method: string, path: string): string {
  const bare = path.replace(/[?#].*$/s, '')
  const route = matchRoute(bare)
  if (route) return method === 'POST' && isPublishedAt(route.id) ? 'publish' : route.id
  const [, first = ''] = bare.split('/', 2)
  return PLACES.has(first) ? first : 'page'
}

/** Returns the outcome of a call: the `kind` in the store's result. */
function outcomeOf(value: unknown): string {
  return typeof value === 'object' && value !== null && 'kind' in value ? String(value.kind) : 'done'
}
