// Reads what the decision about a publish must know about the rest of the hub. It asks the build and the fresh copies, never the git host.
import type { VersionRecord } from '../../domain/api/schema.ts'
import { type OwnerUsage, usagePath } from '../../domain/catalogue/usage.ts'
import { isComposed } from '../../domain/compose/compose-version.ts'
import type { SameContent } from '../../domain/compose/take-along.ts'
import type { Surroundings } from '../../domain/publishing/decision.ts'
import type { PublishInput } from '../../domain/publishing/request.ts'
import { splitVersionAddress } from '../../domain/values/names.ts'
import { measure } from '../../ports/measure.ts'
import { parseBuilt } from '../../ports/site-files.ts'
import type { Sources } from '../hub.ts'
import { findVersion, findVersions } from '../read/records.ts'
import type { PublishHub } from './publish-hub.ts'

const NO_USAGE: OwnerUsage = { prompts: 0, bytes: 0 }

/** Reads what a decision must know about the rest of the hub. What was published since the last build does not count towards a quota yet. */
export async function readSurroundings(
  place: { owner: string; name: string },
  body: PublishInput,
  deps: Sources & Pick<PublishHub, 'quota'>,
): Promise<Surroundings> {
  const { quota, siteFiles } = deps
  const origin = body.forked_from === undefined ? undefined : splitVersionAddress(body.forked_from)
  const original = origin && (await findVersion(origin.owner, origin.name, origin.version, deps))?.value()
  const hasQuota = quota.prompts > 0 || quota.bytes > 0
  const counted = hasQuota ? await siteFiles.read(usagePath(place.owner)) : undefined
  return {
    isOriginKnown: original !== undefined,
    sameContent: isComposed(body) ? undefined : await findSameContent(place, body.content, original, deps),
    quota,
    usage: counted ? parseBuilt<OwnerUsage>(counted) : NO_USAGE,
  }
}

/** Lists the runs that signed versions of a prompt with some content. */
export async function listRuns(
  { owner, name }: { owner: string; name: string },
  content_sha256: string,
  deps: Sources,
): Promise<Set<string>> {
  const runs = new Set<string>()
  for (const one of (await findVersions(owner, name, deps))?.versions.value() ?? []) {
    if (one.content_sha256 !== content_sha256) continue
    const record = (await findVersion(owner, name, one.version, deps))?.value()
    for (const { run_url } of record?.attestations ?? []) runs.add(run_url)
  }
  return runs
}

/** Finds the version with the same content whose includes a publish takes along: the original of a fork, or the highest version of the prompt. */
async function findSameContent(
  { owner, name }: { owner: string; name: string },
  content: string,
  original: VersionRecord | undefined,
  deps: Sources,
): Promise<SameContent | undefined> {
  const { content_sha256 } = measure(content)
  if (original?.content_sha256 === content_sha256) return original
  const versions = (await findVersions(owner, name, deps))?.versions
  // Few publishes have the content of an earlier version, and a list can be long.
  if (!versions || !Buffer.from(versions.bytes()).includes(content_sha256)) return undefined
  const same = versions.value().find((one) => one.content_sha256 === content_sha256)
  return same && (await findVersion(owner, name, same.version, deps))?.value()
}
