// Checks how a CDN or proxy changes the cache headers of a deployed hub. docs/contract.md section 4
import * as z from 'zod'
import { DATA_FILES, ROUTES } from '../domain/api/routes.ts'
import { type Check, type Finding, fail } from './checks.ts'
import { type DeployedHub, jsonOf } from './hub-requests.ts'

const Index = z.object({
  data: z.array(z.object({ owner: z.string(), name: z.string(), latest_version: z.string().nullable() })),
})
const Versions = z.object({ data: z.array(z.object({ version: z.string() })) })

/** Maximum age of a mutable response in a shared cache: one minute plus the time of a slow revalidation. */
const OLDEST_SECONDS = 90

/** Checks that need a served build. */
export const CACHE_CHECKS: readonly Check<DeployedHub>[] = [
  {
    name: 'hub-cache-headers',
    about: 'Cache-Control arrives as the hub sent it',
    needs: ['hub-reading', 'hub-not-found'],
    run: checkHeaders,
  },
  {
    name: 'hub-cache-age',
    about: 'no cache stores a list for longer than a minute',
    needs: ['hub-cache-headers'],
    run: checkAge,
  },
  {
    name: 'hub-cache-key',
    about: 'caches include the query string in their key',
    needs: ['hub-cache-headers'],
    run: checkKey,
  },
]

/** Finds a prompt with versions. @returns the route of its content, and its version numbers */
async function findVersioned({ ask }: DeployedHub): Promise<{ raw: string; versions: string[] } | undefined> {
  const entry = Index.parse(jsonOf(await ask(DATA_FILES.index()))).data.find(({ latest_version }) => latest_version)
  if (!entry?.latest_version) return undefined
  const { owner, name, latest_version } = entry
  const listed = Versions.parse(jsonOf(await ask(DATA_FILES.versions(owner, name)))).data.map(({ version }) => version)
  const others = listed.filter((version) => version !== latest_version)
  const raw = ROUTES.getRaw.path.replace('{owner}', owner).replace('{name}', name)
  return { raw, versions: [latest_version, ...others] }
}

async function checkHeaders(hub: DeployedHub): Promise<Finding[]> {
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
        fail(
          `The Cache-Control header of ${what} (${path}) arrives as “${given}”.`,
          'Remove the CDN or proxy rule that rewrites Cache-Control (browser TTL, expires, header rules); the hub sets it for each response.',
        ),
      ]
  }
  return []
}

async function checkAge({ ask }: DeployedHub): Promise<Finding[]> {
  const { headers } = await ask(ROUTES.listTags.path)
  // Netlify purges its copies instead of letting them expire, and counts their age from the deploy, so a large age means nothing there. docs/notes/netlify.md section 6
  if (/netlify/i.test(headers.get('Cache-Status') ?? '') || /netlify/i.test(headers.get('Server') ?? '')) return []
  const age = Number(headers.get('Age') ?? 0)
  return age <= OLDEST_SECONDS
    ? []
    : [
        fail(
          `A cache served a list that is ${age} s old, so publishes appear late.`,
          'Configure the cache to follow CDN-Cache-Control, or else Cache-Control, and remove rules that cache everything for longer.',
        ),
      ]
}

async function checkKey(hub: DeployedHub): Promise<Finding[]> {
  const versioned = await findVersioned(hub)
  for (const version of versioned?.versions.slice(0, 2) ?? []) {
    const { headers } = await hub.ask(`${versioned!.raw}?version=${version}`)
    const given = headers.get('X-Prompt-Version')
    if (given !== version)
      return [
        fail(
          `${versioned!.raw}?version=${version} returns ${given ?? 'no version'}: a cache does not include the query string in its key.`,
          'Include the query string in the cache key; docs/running.md has example configurations.',
        ),
      ]
  }
  return []
}
