// Lists the events of new commits on the branch, so that a commit by hand is reported as a write through the hub is.
import { markFor } from '../domain/catalogue/change-mark.ts'
import { parsePath } from '../domain/content/content-path.ts'
import { DEFAULT_REPOSITORY_FILE, parseRepositoryFile } from '../domain/content/prompt-file.ts'
import { parseResultFile } from '../domain/content/result-file.ts'
import { eventOfResult, eventOfVersion, eventsOfIndex, type HubEvent } from '../domain/events/event.ts'
import { createGit, type Git } from '../git/git-command.ts'
import { readSmallObjects } from '../git/git-objects.ts'
import { type Commit, isContinued, listCommits, MAX_CHANGED_BYTES } from './content-commits.ts'

/** Maximum number of files in a commit that has events; an import has more. */
const MAX_ENTRIES = 5_000
/** Maximum number of events that one call returns, each with its commit as a whole. */
const MAX_EVENTS = 2_000

/**
 * What a branch gained since a commit. `behind` means that the branch has not come as far as that commit here, `unknown`
 * that the commit is not here, and `apart` that the branch was set back.
 */
export type NewEvents = { kind: 'events'; events: HubEvent[]; until: string } | { kind: 'behind' | 'unknown' | 'apart' }

/** Lists the events after a commit, oldest first, up to another. If they are many, `until` is an earlier commit. */
export async function listEvents(
  contentDir: string,
  environment: Readonly<Record<string, string | undefined>>,
  from: string,
  to: string,
): Promise<NewEvents> {
  if (from === to) return { kind: 'events', events: [], until: to }
  const git = createGit(contentDir, environment)
  if (!(await isContinued(git, from, to))) {
    const isHere = (await git.tryRun(['cat-file', '-e', `${from}^{commit}`])).code === 0
    if (!isHere) return { kind: 'unknown' }
    return { kind: (await isContinued(git, to, from)) ? 'behind' : 'apart' }
  }
  const events: HubEvent[] = []
  for await (const commit of listCommits(git, `${from}..${to}`, ['--reverse'])) {
    events.push(...(await eventsOf(git, commit)))
    if (events.length >= MAX_EVENTS) return { kind: 'events', events, until: commit.commit }
  }
  return { kind: 'events', events, until: to }
}

async function eventsOf(
  git: Git,
  { entries, isFirst, commit, at, by, publishedBy, mark }: Commit,
): Promise<HubEvent[]> {
  // What a history begins with may have been there for longer.
  if (isFirst || entries.length > MAX_ENTRIES) return []
  const places = entries.flatMap(({ path, status, before, after }) => {
    const place = parsePath(path).value
    const isKnown = place?.kind === 'version' || place?.kind === 'repository' || place?.kind === 'result'
    if (!isKnown || status === 'D') return []
    return [{ place, isAdded: status === 'A', before: before.id, after: after.id }]
  })
  const ids = places.flatMap(({ place, isAdded, before, after }) =>
    place.kind === 'version' ? [] : isAdded ? [after] : [before, after],
  )
  const texts = await readSmallObjects(git, [...new Set(ids)], MAX_CHANGED_BYTES)
  const textOf = (id: string) => texts.get(id)?.toString('utf8')
  const published: HubEvent[] = []
  const others: HubEvent[] = []
  for (const { place, isAdded, before, after } of places) {
    const { owner, name } = place
    const origin = { owner, name, commit, at, by, ...markFor(mark, name) }
    if (place.kind === 'version') {
      if (isAdded) published.push(eventOfVersion(place.version, { ...origin, by: publishedBy }))
      continue
    }
    const [old, now] = [isAdded ? undefined : textOf(before), textOf(after)]
    if (now === undefined) continue
    if (place.kind === 'result') {
      const { value } = parseResultFile(now)
      if (value) others.push(eventOfResult(place.version, place.suite, value, origin))
      continue
    }
    const was = old === undefined ? DEFAULT_REPOSITORY_FILE : parseRepositoryFile(old).value
    const is = parseRepositoryFile(now).value
    if (was && is) others.push(...eventsOfIndex(was, is, origin))
  }
  return [...published, ...others]
}
