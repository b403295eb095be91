// Owns finding what a repository answers now: the built record, or the fresh copy where a publish is ahead of the build.
import { hash } from 'node:crypto'
import { DATA_FILES } from '../../domain/api/routes.ts'
import type { Repository } from '../../domain/api/schema.ts'
import { type FreshCopies, type FreshCopy, isNewer } from '../../ports/fresh-copies.ts'
import type { Bytes, SiteFiles } from '../../ports/site-files.ts'
import { parseBuilt } from '../site-json.ts'

/** Where a repository's newest state is looked for. */
export interface Sources {
  siteFiles: SiteFiles
  fresh: FreshCopies
}

/** What the build and the copies have of a repository. */
interface Newest {
  /** The built record, or undefined when no build has the repository. */
  built: Bytes | undefined
  /** The copy, when it is newer. */
  copy: FreshCopy | undefined
}

/** Looks a repository up in the build and among the copies. */
export async function findNewest(owner: string, name: string, { siteFiles, fresh }: Sources): Promise<Newest> {
  const [built, copy] = await Promise.all([siteFiles.read(DATA_FILES.repository(owner, name)), fresh.find(owner, name)])
  if (!copy) return { built, copy: undefined }
  const state = built && {
    versionsCount: parseBuilt<{ data: Repository }>(built).data.versions_count,
    sha256: hash('sha256', built),
  }
  return { built, copy: isNewer(copy, state) ? copy : undefined }
}
