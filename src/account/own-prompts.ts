// Reads the prompts of the signed-in user's owners for the account page.

import { parseBuilt, type SiteFiles } from '../built/site-files.ts'
import type { UnlistedPrompt } from '../catalogue/owners.ts'
import { DATA_FILES, unlistedPath } from '../domain/api/data-paths.ts'
import type { RepositorySummary, User } from '../domain/api/schema.ts'
import { findContentStart } from '../server/read/records.ts'

/** Maximum number of owners whose prompts are read. */
const MAX_OWNERS = 20
/** Maximum number of prompts shown of each owner; the search page lists them all. */
export const MAX_SHOWN = 50

/** Maximum number of prompts of each owner with a picture, because each takes a read. */
const MAX_PICTURES = 20

/** An owner's prompts. */
export interface OwnPrompts {
  owner: string
  /** The first prompts, most recently updated first; then those that appear in no list. `start` is the start of the content, for its picture. */
  prompts: readonly (RepositorySummary & Partial<Pick<UnlistedPrompt, 'moved_to'>> & { start?: string | undefined })[]
  /** The number of all listed prompts. */
  listed: number
}

/** Reads the prompts of a user's owners from the latest build. Owners without prompts are omitted. */
export async function readOwnPrompts(
  siteFiles: Pick<SiteFiles, 'read'>,
  owners: readonly string[],
): Promise<OwnPrompts[]> {
  const read = async <Value>(path: string) => {
    const bytes = await siteFiles.read(path)
    return bytes && parseBuilt<{ data: Value }>(bytes).data
  }
  const found = await Promise.all(
    owners.slice(0, MAX_OWNERS).map(async (owner) => {
      const [user, unlisted = []] = await Promise.all([
        read<User>(DATA_FILES.user(owner)),
        read<UnlistedPrompt[]>(unlistedPath(owner)),
      ])
      const repos = user?.repos ?? []
      const prompts = await Promise.all(
        [...repos.slice(0, MAX_SHOWN), ...unlisted.slice(0, MAX_SHOWN)].map(async (prompt, index) => ({
          ...prompt,
          start: index < MAX_PICTURES ? await findContentStart(prompt.owner, prompt.name, { siteFiles }) : undefined,
        })),
      )
      return { owner, prompts, listed: repos.length }
    }),
  )
  return found.filter(({ prompts }) => prompts.length > 0)
}
