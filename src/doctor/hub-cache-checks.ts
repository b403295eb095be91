// Checks how a CDN or proxy changes the cache headers of a deployed hub. docs/contract.md section 4
import * as z from 'zod'
import { DATA_FILES, ROUTES } from '../domain/api/routes.ts'
import { type Check, type Finding, wrong } from './examination.ts'
import { type DeployedHub, jsonOf } from './hub-answers.ts'

const Index = z.object({
  data: z.array(z.object({ owner: z.string(), name: z.string(), latest_version: z.string().nullable() })),
})
const Versions = z.object({ data: z.array(z.object({ version: z.string() })) })

/** Maximum age of a changing response in a shared cache: a minute, and the time of a slow revalidation. */
const OLDEST_SECONDS = 90

/** They need a served build. */
export const CACHE_CHECKS: readonly Check<DeployedHub>[] = [
  {
    name: 'hub-cache-headers',
    about: 'answers say how long they may be kept, as the hub says it',
    needs: ['hub-reading', 'hub-not-found'],
    look: lookAtHeaders,
  },
  {
    name: 'hub-cache-age',
    about: 'no cache keeps a list for longer than a minute',
    needs: ['hub-cache-headers'],
    look: lookAtAge,
  },
  {
    name: 'hub-cache-key',
    about: 'caches tell versions apart by the query',
    needs: ['hub-cache-headers'],
    look: lookAtKey,
  },
  {
    name: 'hub-revalidation',
    about: 'an answer that did not change is not sent again',
    needs: ['hub-cache-headers'],
    look: lookAtRevalidation,
  },
]

/** Finds a prompt with versions: the address of its content, and its version numbers. */
async function findVersioned({ ask }: DeployedHub): Promise<{ raw: string; versions: string[] } | undefined> {
  const entry = Index.parse(jsonOf(await ask(DATA_FILES.index()))).data.find(({ latest_version }) => latest_version)
  if (!entry?.latest_version) return undefined
  const { owner, name, latest_version } = entry
  const listed = Versions.parse(jsonOf(await ask(DATA_FILES.versions(owner, name)))).data.map(({ version }) => version)
  const others = listed.filter((version) => version !== latest_version)
  const raw = ROUTES.getRaw.path.replace('{owner}', owner).replace('{name}', name)
  return { raw, versions: [latest_version, ...others] }
}

async function lookAtHeaders(hub: DeployedHub): Promise<Finding[]> {
  const versioned = await findVersioned(hub)
  //  path, description, and what its Cache-Control must contain
  const expected: readonly [string, string, RegExp][] = [
    [ROUTES.listRepositories.path, 'a list', /(?=.*\bpublic\b)(?=.*\bmax-age=60\b)/],
    ['/api/v1/repos/doctor/is-not-there', 'a 404', /\bmax-age=30\b/],
    [`${ROUTES.listRepositories.path}?page=0`, 'an error', /\bno-store\b/],
    ...(versioned
      ? [
          [`${versioned.raw}?version=${versioned.versions[0]}`, 'a version', /\bimmutable\b/] as [
            string,
            string,
            RegExp,
          ],
        ]
      : []),
  ]
  for (const [path, what, pattern] of expected) {
    const given = (await hub.ask(path)).headers.get('Cache-Control') ?? 'nothing'
    if (!pattern.test(given))
      return [
        wrong(
          `Cache-Control of ${what} (${path}) is “${given}” by the time it is here.`,
          'Take away what rewrites Cache-Control in the CDN or proxy (browser TTL, expires, header rules); the hub sets it for each answer.',
        ),
      ]
  }
  return []
}

async function lookAtAge({ ask }: DeployedHub): Promise<Finding[]> {
  const { headers } = await ask(ROUTES.listTags.path)
  // Netlify purges its copies instead of letting them expire, and counts their age from the deploy, so a large age means nothing there. docs/notes/netlify.md section 6
  if (/netlify/i.test(headers.get('Cache-Status') ?? '') || /netlify/i.test(headers.get('Server') ?? '')) return []
  const age = Number(headers.get('Age') ?? 0)
  return age <= OLDEST_SECONDS
    ? []
    : [
        wrong(
          `A cache gave out a list of ${age} s, so publishes show late.`,
          'Let the cache keep what CDN-Cache-Control says, or else Cache-Control; take away rules that keep everything for longer.',
        ),
      ]
}

async function lookAtKey(hub: DeployedHub): Promise<Finding[]> {
  const versioned = await findVersioned(hub)
  for (const version of versioned?.versions.slice(0, 2) ?? []) {
    const { headers } = await hub.ask(`${versioned!.raw}?version=${version}`)
    const given = headers.get('X-Prompt-Version')
    if (given !== version)
      return [
        wrong(
          `?version=${version} of ${versioned!.raw} is answered with ${given ?? 'no version'}: a cache leaves the query out of its key.`,
          'Let the query be part of the cache’s key; docs/running.md has configurations that do.',
        ),
      ]
  }
  return []
}

async function lookAtRevalidation({ ask }: DeployedHub): Promise<Finding[]> {
  const path = ROUTES.listTags.path
  const tag = (await ask(path)).headers.get('ETag')
  const status = tag === null ? undefined : (await ask(path, { headers: { 'If-None-Match': tag } })).status
  return status === 304
    ? []
    : [
        wrong(
          tag === null ? 'ETag is taken away on the way.' : `If-None-Match is answered with ${status}, not with 304.`,
          'Let the proxy pass ETag and If-None-Match on; each reader would fetch everything again.',
        ),
      ]
}
