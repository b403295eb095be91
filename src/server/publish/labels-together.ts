// Moves a label of several prompts of an owner, in one commit or not at all.

import { mapConcurrently } from '../../concurrency/promises.ts'
import { HubError } from '../../domain/api/errors.ts'
import type { PathParameters } from '../../domain/api/routes.ts'
import type { ChangeMark } from '../../domain/catalogue/change-mark.ts'
import { type LabelChange, readLabelMoves } from '../../domain/managing/request.ts'
import { readOwner, readRepositoryState } from '../../domain/publishing/repository-state.ts'
import { targetOf } from '../../domain/values/label-target.ts'
import type { FolderState } from '../../git/git-store.ts'
import { respondWithRecord } from '../respond.ts'
import { judgeMove, requireLabelName, requireLabelRights } from './label-moves.ts'
import type { PublishHub } from './publish-hub.ts'
import type { Readers } from './read-from-git.ts'
import { isUnseen, type Written } from './renew-fresh-copy.ts'
import {
  type Clock,
  changeMessage,
  type GitWrite,
  markOf,
  type ParseWrite,
  type Sending,
  showingOf,
  type WriteDecision,
  writeInTurn,
  writeWithRetries,
} from './write-to-git.ts'

/** Maximum number of prompts that are read at once. */
const AT_ONCE = 4
/** Prompts that the subject of the commit names. */
const MAX_NAMED = 3

/** The prompts that a write changed. */
interface Shown {
  prompts: readonly Pick<Written, 'name' | 'folder' | 'file'>[]
  mark: ChangeMark
}

/** A move of the label of one prompt, decided. */
interface Decided {
  name: string
  folder: FolderState
  file: Written['file']
  /** The new `index.md`; undefined if nothing changes. */
  indexText: string | undefined
  from: string | null
  version: string
  isRestored: boolean
}

/** Opens a move of a label of several prompts. @throws HubError `not_found` for a malformed label */
export function openLabels({ label = '' }: PathParameters): ParseWrite {
  requireLabelName(label)
  return async (body) => {
    // Only a publish may be an archive.
    const moves = readLabelMoves(label, String(body))
    return {
      needed: 'label',
      names: [...moves.keys()],
      carryOut: (sending, deps, time) => writeLabels(moves, sending, deps, time),
    }
  }
}

/** Carries out the moves when it is their sender's turn, and makes them visible immediately. */
async function writeLabels(
  moves: ReadonlyMap<string, LabelChange>,
  sending: Sending,
  deps: PublishHub,
  time: Clock,
): Promise<Response> {
  const { owner, bearer, arrivedMs } = sending
  const [first] = moves.keys()
  const salt = time.newId().replaceAll('-', '')
  const write: GitWrite<Shown> = {
    owner,
    // A commit whose response was lost is found in the history of this prompt.
    name: first,
    arrivedMs,
    needsHistory: false,
    decide: (folder, readers) => decideAttempt({ moves, sending, salt }, folder, readers, deps),
  }
  return writeInTurn({ sender: bearer.publisher, arrivedMs }, deps, time, async () => {
    const copies = new Map(
      await mapConcurrently(AT_ONCE, [...moves.keys()], async (name) => {
        return [name, await deps.fresh.find('repositories', owner, name)] as const
      }),
    )
    const { answer, toShow } = await writeWithRetries(write, deps, copies.get(first!), time)
    const response = respondWithRecord(answer.data)
    if (!toShow) return { response, shown: [] }
    const { commit, atMs, mark, prompts } = toShow
    const now = new Date(time.now())
    const shown = prompts.map((prompt) => {
      const written = { owner, ...prompt, entry: undefined, added: undefined, mark, commit, atMs }
      return showingOf(written, copies.get(prompt.name), bearer, deps, now)
    })
    return { response, shown }
  })
}

/** Decides an attempt: either a commit or a response without one. @throws HubError that names each prompt that stands in the way */
async function decideAttempt(
  asked: { moves: ReadonlyMap<string, LabelChange>; sending: Sending; salt: string },
  folder: FolderState,
  readers: Readers,
  deps: PublishHub,
): Promise<WriteDecision<Shown>> {
  const { moves, sending } = asked
  const { owner } = sending
  const [first] = moves.keys()
  const judged = await mapConcurrently(AT_ONCE, [...moves], async ([name, change]) => {
    const own = { folder, readVersion: readers.readVersion }
    const read = name === first ? own : await readers.readOther({ owner, name })
    const place = { ...asked, name, change, ownerIndex: folder.ownerIndex }
    return decideMove(place, read.folder, { ...readers, ...read }, deps).catch((thrown: unknown) => {
      if (thrown instanceof HubError && thrown.code !== 'unavailable') return { name, refusal: thrown }
      throw thrown
    })
  })
  const decided = judged.filter((one) => 'file' in one)
  const refused = judged.filter((one) => 'refusal' in one)
  if (refused.length > 0) throw refuseAll(refused)
  const changed = decided.filter(({ indexText }) => indexText !== undefined)
  const { label, reason, isDryRun } = [...moves.values()][0]!
  const restored = changed.filter(({ isRestored }) => isRestored).map(({ name }) => name)
  const mark = markOf(sending.bearer, { reason, restored })
  const prompts = decided.map(({ name, from, version, indexText }) => {
    return { name, full_name: `${owner}/${name}`, from, version, unchanged: indexText === undefined }
  })
  const answer = { data: { owner, label, prompts, unchanged: changed.length === 0, commit: null } }
  if (isDryRun) return { kind: 'answer', answer }
  if (changed.length === 0) {
    // A hub that crashed after its commit has not stored copies. In that case, a retry commits nothing but makes the existing commit visible.
    const unseen = await mapConcurrently(AT_ONCE, decided, async (one) =>
      (await isUnseen({ owner, ...one, entry: undefined, added: undefined }, deps)) ? [one] : [],
    )
    const shown = { prompts: unseen.flat(), mark }
    return { kind: 'answer', answer, ...(shown.prompts.length > 0 && { shown }) }
  }
  const others = changed.flatMap(({ name, indexText }) => (name === first ? [] : [{ name, index: indexText! }]))
  const index = changed.find(({ name }) => name === first)?.indexText
  const message = changeMessage(sending, `${owner}: ${summarise(label, changed)}`, mark)
  const additions = { owner, name: first, message, version: undefined, index, others }
  return { kind: 'commit', additions, shown: { prompts: changed, mark }, answer }
}

async function decideMove(
  asked: { sending: Sending; salt: string; name: string; change: LabelChange; ownerIndex: string | undefined },
  folder: FolderState,
  readers: Readers,
  deps: PublishHub,
): Promise<Decided> {
  const { sending, salt, name, change, ownerIndex } = asked
  const place = { owner: sending.owner, name }
  requireLabelRights(sending.bearer, place, change.label, readOwner(place.owner, ownerIndex))
  const state = readRepositoryState({ ...place, versions: [...folder.versions.keys()], index: folder.index })
  const { decideChange } = await import('./decide-change.ts')
  const { file, indexText } = await deps.runLong(decideChange, change, state, new Map(), salt)
  const from = targetOf(state.file.labels, change.label)?.version ?? null
  const isRestored =
    indexText !== undefined &&
    (await judgeMove(
      { ...place, bearer: sending.bearer },
      change.label,
      { was: state.file, is: file },
      { ...folder, ownerIndex },
      readers,
      deps,
    ))
  return { name, folder, file, indexText, from, version: change.version, isRestored }
}

/** Returns the refusal of all moves. Its code is that of the first. */
function refuseAll(refused: readonly { name: string; refusal: HubError }[]): HubError {
  const said = refused.map(({ name, refusal }) => `${name}: ${refusal.message}`).join(' ')
  return new HubError(refused[0]!.refusal.code, `No label was moved. ${said}`)
}

function summarise(label: string, changed: readonly Decided[]): string {
  const named = changed.slice(0, MAX_NAMED).map(({ name, from, version }) => `${name} ${from ?? 'none'} → ${version}`)
  const more = changed.length > MAX_NAMED ? [`${changed.length - MAX_NAMED} more`] : []
  return `label ${label} of ${[...named, ...more].join(', ')}`
}
