// The hub's HTTP application: which address is answered by what, for all platforms. What most requests do not need is imported on first use.
import { Hono } from 'hono'
import type { AccountDeps } from '../../packages/account/visit.ts'
import { ACCOUNT_ADDRESSES } from '../../packages/catalogue/published/addresses.ts'
import type { EditorDeps } from '../../packages/editor/editing.ts'
import {
  API_PATHS,
  APM_PATHS,
  type ApiPath,
  type PathParameters,
  READ_METHODS,
  SKILL_PATHS,
} from '../domain/api/routes.ts'
import { isOwner } from '../domain/values/names.ts'
import { importOnce } from '../ports/import-once.ts'
import type { SiteFiles } from '../ports/site-files.ts'
import { pathOf } from '../server/address.ts'
import type { Hub } from '../server/hub.ts'
import type { Clock } from '../server/publish/attempts.ts'
import type { CheckHub } from '../server/publish/handle-check.ts'
import type { PublishHub } from '../server/publish/publish-hub.ts'
import { ANSWERS, type RouteHandler } from '../server/read/answers.ts'
import type { ExportVersion } from '../server/read/export.ts'
import { handleRead, respondElsewhere } from '../server/read/read.ts'
import { methodNotAllowed, respondNotFound, respondToError, respondWithProblem } from '../server/refusals.ts'
import { respondToOptions } from '../server/respond.ts'
import { findFile, preflightFile } from '../server/static-files.ts'

type Opens<Opened, Place> = (request: Request, place: Place) => Opened | Promise<Opened>

/** Opens what a request needs, once the request itself has been checked. Where the clients of a platform are known and what is built lies, is in the place of the request. */
export interface Connections<Place> {
  hub: Opens<Hub, Place>
  /** Like `hub`, with the limit for messages of MCP. */
  mcp: Opens<Hub, Place>
  publishing: Opens<PublishHub, Place>
  checking: Opens<CheckHub, Place>
  account: Opens<AccountDeps, Place>
  editor: Opens<EditorDeps, Place>
  exporter: () => Promise<ExportVersion>
  /** The static files; omitted where the platform itself serves them. */
  files?: (place: Place) => SiteFiles
  /** The clock; by default, the machine's. */
  clock?: Clock | undefined
}

type Answer<Place> = (
  request: Request,
  parameters: PathParameters,
  place: Place,
  path: string,
) => Response | Promise<Response>

const writes = importOnce(() => import('../server/publish/handle-write.ts'))
const checks = importOnce(() => import('../server/publish/handle-check.ts'))
const exports_ = importOnce(() => import('../server/read/export.ts'))
const skills = importOnce(() => import('../../packages/skills/handle-skill.ts'))
const apm = importOnce(() => import('../../packages/skills/handle-apm.ts'))
const mcp = importOnce(() => import('../server/mcp/handle-mcp.ts'))
const account = importOnce(() => import('../../packages/account/handle-account.ts'))
const editor = importOnce(() => import('../../packages/editor/handle-editor.ts'))
const pages = importOnce(() => import('../server/pages/handle-page.ts'))

/** Imports everything, so that no request waits for it. */
export async function loadApp(): Promise<void> {
  await Promise.all([writes, checks, exports_, skills, apm, mcp, account, editor, pages].map((load) => load()))
}

/** Creates the application. Its `fetch` takes a request and its place; errors become responses. */
export function createApp<Place extends object>(connect: Connections<Place>) {
  const app = new Hono<{ Bindings: Place }>({ getPath: routedPathOf })
  const at = (path: string, answer: Answer<Place>) => {
    const pattern = path.replaceAll(/\{(\w+)\}/g, (_, name) => (name === 'path' ? ':path{.+}' : `:${name}`))
    app.all(pattern, (context) => answer(context.req.raw, context.req.param(), context.env, path))
  }
  const only =
    (
      methods: readonly string[],
      answer: Answer<Place>,
      refuse: typeof respondToError = respondToError,
    ): Answer<Place> =>
    (request, parameters, place, path) => {
      const { method } = request
      if (method === 'OPTIONS') return respondToOptions(methods)
      if (!methods.includes(method)) return refuse(request, methodNotAllowed(method, methods))
      return answer(request, parameters, place, path)
    }

  const readers: Partial<Record<string, RouteHandler>> = ANSWERS
  const exporting: RouteHandler = async (...given) => (await exports_()).openExport(connect.exporter)(...given)
  const answerApi =
    ({ routes, methods }: ApiPath): Answer<Place> =>
    async (request, parameters, place) => {
      const isReading = request.method === 'GET' || request.method === 'HEAD'
      const route = routes.get(isReading ? 'GET' : request.method)
      if (!route) throw methodNotAllowed(request.method, methods)
      if (route.by === 'publish') {
        const { handleWrite } = await writes()
        return handleWrite(
          request,
          { id: route.id, parameters },
          () => connect.publishing(request, place),
          connect.clock,
        )
      }
      if (route.by === 'check') {
        const { handleCheck } = await checks()
        return handleCheck(request, parameters, () => connect.checking(request, place), connect.clock?.now)
      }
      const answer = readers[route.id] ?? exporting
      return handleRead(request, route, parameters, answer, () => connect.hub(request, place))
    }
  for (const one of API_PATHS) at(one.path, only(one.methods, answerApi(one)))

  const answerApm: Answer<Place> = async (request, parameters, place, path) =>
    (await apm()).handleApm(request, path.endsWith('*') ? undefined : parameters, () => connect.hub(request, place))
  for (const path of [...APM_PATHS, '/api/apm/*']) at(path, only(READ_METHODS, answerApm, respondWithProblem))
  const unknown: Answer<Place> = (request) =>
    request.method === 'GET' || request.method === 'HEAD' ? respondElsewhere(request) : respondNotFound(request)
  for (const path of ['/api', '/api/*']) at(path, unknown)

  at('/mcp', async (request, _, place) => (await mcp()).handleMcp(request, () => connect.mcp(request, place)))

  const answerAccount: Answer<Place> = async (request, _, place) =>
    (await account()).handleAccount(request, () => connect.account(request, place))
  for (const path of [...Object.keys(ACCOUNT_ADDRESSES), '/settings/*', '/auth', '/auth/*']) at(path, answerAccount)
  const answerEditor: Answer<Place> = async (request, _, place) =>
    (await editor()).handleEditor(request, () => connect.editor(request, place))
  for (const path of ['/new', '/{owner}/{name}/edit', '/{owner}/{name}/manage']) at(path, answerEditor)

  const answerSkill: Answer<Place> = async (request, parameters, place, path) =>
    (await skills()).handleSkill(request, path, parameters, () => connect.hub(request, place))
  for (const path of SKILL_PATHS) at(path, only(READ_METHODS, answerSkill))

  const file = async (request: Request, place: Place) => connect.files && findFile(request, connect.files(place))
  for (const folder of ['/data', '/assets', '/cli', '/clients'])
    for (const path of [folder, `${folder}/*`])
      at(
        path,
        only(READ_METHODS, async (request, _, place) => (await file(request, place)) ?? respondNotFound(request)),
      )

  const answerPage: Answer<Place> = async (request, _, place) => {
    const { method } = request
    if (method === 'GET' || method === 'HEAD')
      return (await file(request, place)) ?? (await pages()).handlePage(request, () => connect.hub(request, place))
    const preflight = method === 'OPTIONS' && connect.files && (await preflightFile(request, connect.files(place)))
    return preflight || respondToError(request, methodNotAllowed(method, ['GET', 'HEAD']))
  }
  // A guide and a tag may have this name, and neither is an owner.
  at('/{owner}/settings', (request, parameters, place, path) =>
    (isOwner(parameters.owner!.toLowerCase()) ? answerEditor : answerPage)(request, parameters, place, path),
  )
  at('*', answerPage)
  app.onError((thrown, context) => respondToError(context.req.raw, thrown))
  return app
}

/** Returns the path by which a request is routed: without one trailing slash, and with every `%` encoded once more, because the router decodes parameters, and no address has an encoded character. */
function routedPathOf({ url }: Request): string {
  const path = pathOf(url)
  const bare = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
  return bare.includes('%') ? bare.replaceAll('%', '%25') : bare
}
