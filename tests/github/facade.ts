// The GraphQL API that emulate lacks: GitHub's schema on top of emulate's REST API, with GitHub's errors.
import { schema as github } from '@octokit/graphql-schema'
import {
  buildSchema,
  defaultFieldResolver,
  execute,
  GraphQLError,
  type GraphQLFieldResolver,
  GraphQLScalarType,
  type GraphQLSchema,
  parse,
  validate,
} from 'graphql'
import { z } from 'zod'
import { askEmulate } from './ask-emulate.ts'
import { openObjects } from './facade-objects.ts'

/** An HTTP server as a function. If it returns undefined, the socket is closed without a response. */
export type Handler = (request: Request) => Promise<Response | undefined>

/** The supported arguments of the fields that have any. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  'Query.repository': ['owner', 'name'],
  'Repository.ref': ['qualifiedName'],
  'Repository.object': ['oid'],
  'Commit.file': ['path'],
  'Commit.history': ['path', 'first'],
  'Mutation.createCommitOnBranch': ['input'],
}

const Body = z.object({
  query: z.string(),
  variables: z.record(z.string(), z.unknown()).optional(),
  operationName: z.string().optional(),
})
const MadeToken = z.object({ token: z.string().optional(), access_token: z.string().optional() })

let built: GraphQLSchema | undefined

/**
 * Creates a facade. It stores only objects that never change and the tokens created through it.
 *
 * @param emulateUrl emulate's own base URL
 * @param tokens the valid tokens. Any other token gets a 401, whereas emulate itself would treat it as a token of its
 * first user
 */
export function createFacade(emulateUrl: string, tokens: Iterable<string>) {
  built ??= buildGitHubSchema()
  const schema = built
  const good = new Set(tokens)
  /** Queries that violate GitHub's schema or are not supported here. A single such query fails the test. */
  const problems: string[] = []
  const objects = openObjects(emulateUrl)
  let remaining = 5000

  /** As the default resolver, which would answer a field that the objects lack with null, and ignore an argument. */
  const resolveField: GraphQLFieldResolver<object, unknown> = (source, args, context, info) => {
    const field = `${info.parentType.name}.${info.fieldName}`
    const known = ARGUMENTS[field] ?? []
    const unanswered = [
      ...(info.fieldName in source ? [] : [field]),
      ...info.fieldNodes
        .flatMap((node) => (node.arguments ?? []).map((argument) => argument.name.value))
        .filter((name) => !known.includes(name))
        .map((name) => `${field}(${name}:)`),
    ].map((lacking) => `the facade has no answer for ${lacking}`)
    problems.push(...unanswered)
    if (unanswered.length > 0) throw new GraphQLError(unanswered.join('\n'))
    return defaultFieldResolver(source, args, context, info)
  }
  const answerGraphql = async (request: Request, token: string): Promise<Response> => {
    const { query, variables } = Body.parse(await request.json())
    const answer = (body: object) =>
      Response.json(body, {
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'x-ratelimit-limit': '5000',
          'x-ratelimit-remaining': String(--remaining),
          'x-ratelimit-reset': '4102444800',
          'x-ratelimit-resource': 'graphql',
        },
      })
    const document = parse(query)
    const invalid = validate(schema, document).map(({ message }) => message)
    if (invalid.length > 0) {
      problems.push(...invalid)
      return answer({ errors: invalid.map((message) => ({ message })) })
    }
    const { data, errors } = await execute({
      schema,
      document,
      rootValue: objects.root,
      fieldResolver: resolveField,
      contextValue: { token },
      ...(variables && { variableValues: variables }),
    })
    if (!errors) return answer({ data })
    const shaped = errors.map(({ message, path, extensions }) => ({ type: extensions.type, path, message }))
    return answer({ ...(data === undefined ? {} : { data }), errors: shaped })
  }

  const passOn = async (request: Request, path: string): Promise<Response> => {
    const headers = new Headers(request.headers)
    for (const name of ['host', 'connection', 'content-length', 'transfer-encoding']) headers.delete(name)
    const body = request.method === 'GET' || request.method === 'HEAD' ? null : await request.arrayBuffer()
    const answer = await askEmulate(`${emulateUrl}${path}`, {
      method: request.method,
      headers,
      body,
    })
    const bytes = await answer.arrayBuffer()
    if (/\/access_tokens?(?:$|\?)/.test(path) && answer.ok) {
      const made = MadeToken.parse(JSON.parse(new TextDecoder().decode(bytes)))
      for (const token of [made.token, made.access_token]) if (token !== undefined) good.add(token)
    }
    // GitHub does not reveal the existence of a private repository to users without access.
    if (path.startsWith('/repos/') && request.method === 'GET' && (answer.status === 401 || answer.status === 403))
      return Response.json({ message: 'Not Found' }, { status: 404 })
    const kept = new Headers(answer.headers)
    for (const name of ['connection', 'content-encoding', 'content-length', 'transfer-encoding']) kept.delete(name)
    return new Response(answer.status === 204 ? null : bytes, { status: answer.status, headers: kept })
  }

  const handle: Handler = async (request) => {
    const { pathname, search } = new URL(request.url)
    const token = /^(?:token|bearer) (.+)$/i.exec(request.headers.get('authorization') ?? '')?.[1]
    const isJwt = token !== undefined && token.split('.').length === 3
    const isBad = token === undefined ? pathname === '/graphql' : !isJwt && !good.has(token)
    if (isBad) return Response.json({ message: 'Bad credentials' }, { status: 401 })
    if (pathname === '/graphql' && request.method === 'POST') return await answerGraphql(request, token ?? '')
    return await passOn(request, pathname + search)
  }
  return { handle, objects, isGood: (token: string) => good.has(token), problems }
}

function buildGitHubSchema(): GraphQLSchema {
  const schema = buildSchema(github.idl, { assumeValid: true })
  checkScalar(schema, 'GitObjectID', /^[0-9a-f]{40}$/)
  // Standard base64 with padding: GitHub rejects base64url.
  checkScalar(schema, 'Base64String', /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/)
  checkScalar(schema, 'GitTimestamp', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/)
  return schema
}

function checkScalar(schema: GraphQLSchema, name: string, pattern: RegExp): void {
  const type = schema.getType(name)
  if (!(type instanceof GraphQLScalarType)) throw new Error(`GitHub's schema has no scalar ${name}`)
  type.parseValue = (value: unknown) => {
    if (typeof value === 'string' && pattern.test(value)) return value
    throw new GraphQLError(`expected a ${name}`)
  }
}
