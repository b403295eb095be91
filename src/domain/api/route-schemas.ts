// Schemas of the parameters and responses of each route, for OpenAPI and the reference pages. Not loaded to serve requests.
import * as z from 'zod'
import { Name, Owner, Tag, Version } from '../content/values.ts'
import { LIMITS } from './limits.ts'
import { ROUTES, type Route, type RouteId, SORTS } from './routes.ts'
import {
  Activity,
  ActivityMeta,
  list,
  Repository,
  RepositorySummary,
  searchList,
  single,
  TagRecord,
  User,
  VersionRecord,
  VersionSummary,
  Warning,
} from './schema.ts'

/** A documented query parameter; parsed by `server/read/list-query.ts` and `query-values.ts`. */
export interface QueryParameter {
  name: string
  description: string
  schema: z.ZodType
  isRepeatable?: boolean
}

/** The parameters and response of a route. */
interface RouteSchemas {
  query: readonly QueryParameter[]
  /** The shape of a 200; null for bare content, and for OpenAPI itself. */
  response: z.ZodType | null
}

/** A route with its schemas. */
export type RouteWithSchemas = Route & RouteSchemas & { id: RouteId }

const sort: QueryParameter = {
  name: 'sort',
  description: 'The sort order. Default: best match if q is given, else top.',
  schema: z.enum(SORTS),
}

const SCHEMAS: Readonly<Record<RouteId, RouteSchemas>> = {
  listRepositories: {
    query: [
      {
        name: 'page',
        description: 'The page number, from 1.',
        schema: z.int().min(1).max(LIMITS.highestPage).default(1),
      },
      sort,
      {
        name: 'q',
        description:
          'Words to search for in full name, title, tags, description, readme and content; the last one also matches as a prefix. meta.matched lists corrected and ignored words. Only the first 12 phrases of at most 8 words count.',
        schema: z.string().meta({ maxLength: LIMITS.queryCharacters }),
      },
      {
        name: 'tag',
        description: 'Only repositories with this tag; may be repeated.',
        schema: z.array(z.string()),
        isRepeatable: true,
      },
    ],
    response: searchList(RepositorySummary),
  },
  getRepository: {
    query: [],
    response: single(Repository),
  },
  listVersions: {
    query: [],
    response: list(VersionSummary),
  },
  getVersion: {
    query: [],
    response: single(VersionRecord),
  },
  getRaw: {
    query: [
      {
        name: 'version',
        description: 'The version, x.y.z. Default, without a label: the latest.',
        schema: Version,
      },
      {
        name: 'label',
        description: 'A label of the repository, such as production, instead of a version.',
        schema: z.string(),
      },
    ],
    response: null,
  },
  listActivity: {
    query: [],
    response: z.object({ data: z.array(Activity), meta: ActivityMeta }),
  },
  listTags: {
    query: [],
    response: list(TagRecord),
  },
  getUser: {
    query: [],
    response: single(User),
  },
  getOpenapi: {
    query: [],
    response: null,
  },
}

/** Every route with its schemas, in table order. */
export const ROUTES_WITH_SCHEMAS: readonly RouteWithSchemas[] = Object.values(ROUTES).map((route) => ({
  ...route,
  ...SCHEMAS[route.id],
}))

/** The documented format of each path parameter. */
export const PATH_PARAMETERS: Readonly<Record<string, z.ZodType>> = {
  owner: Owner,
  handle: Owner,
  name: Name,
  version: Version,
  label: Tag,
}

const Commit = z
  .object({
    sha: z.string().describe('The commit.'),
    url: z.string().nullable().describe('Its page, or null where there is none.'),
  })
  .meta({ id: 'Commit', description: 'A commit in git.' })

/** The response to a change: the repository, and the outcome of the request. */
export const ChangeAnswer = z
  .object({
    ...Repository.shape,
    unchanged: z.boolean().describe('Whether it was so already, so that nothing was written.'),
    commit: Commit.nullable().describe('The commit that was made, or null.'),
  })
  .meta({ id: 'ChangeAnswer', description: 'A repository, and the result of the request to change it.' })

/** The response to a publish: the version, and the outcome of the request. */
export const PublishAnswer = z
  .object({
    ...VersionRecord.shape,
    html_url: z.url().describe('The address of this version’s page; it is there after the next build.'),
    unchanged: z.boolean().describe('Whether the latest version was already identical, so that none was added.'),
    commit: Commit.nullable().describe('The commit that was made, or null.'),
    warnings: z.array(Warning).describe('What is worth a second look; nothing was refused for it.'),
  })
  .meta({ id: 'PublishAnswer', description: 'A version, and the result of the request.' })
