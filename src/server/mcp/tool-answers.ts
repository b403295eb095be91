// Handles `tools/call`: produces each tool's result from the read API's data, or an error that tells the model what to do next.

import { type Bytes, CATALOGUE_UNAVAILABLE } from '../../built/site-files.ts'
import { listEnvelope, searchEnvelope } from '../../domain/api/envelope.ts'
import { type ErrorCode, HubError } from '../../domain/api/errors.ts'
import type { Repository, VersionRecord } from '../../domain/api/schema.ts'
import type { FillingValues } from '../../domain/content/filling.ts'
import { findPlaceholders } from '../../domain/content/placeholders.ts'
import { LIMITS } from '../../domain/limits.ts'
import { isObject, pick } from '../../domain/text/json.ts'
import { printable } from '../../domain/text/printable.ts'
import { formatProblems } from '../../domain/text/problems.ts'
import { kindOf } from '../../domain/values/chat.ts'
import { isVersion, type RepositoryPlace, splitFullName } from '../../domain/values/names.ts'
import { toHubError } from '../../log.ts'
import type { Hub } from '../hub.ts'
import { findVersionAt } from '../read/labels.ts'
import { activeVersionNotFound, repositoryNotFound, versionNotFound } from '../read/not-found.ts'
import { checkTime, resolveVersion } from '../read/query-values.ts'
import {
  encode,
  type FoundRepository,
  findRepository,
  findTags,
  findVersion,
  findVersionPage,
} from '../read/records.ts'
import { findNewName } from '../read/renamed.ts'
import { invalidParams, readObject, unknownName } from './protocol.ts'
import { type Arguments, PAGE_SIZES, readArguments, TOOL_NAMES, type ToolName } from './tool-arguments.ts'

/**
 * Calls a tool.
 *
 * @param waitSeconds the number of seconds until the client may call a tool again; 0 if it may do so now
 * @returns the result as the bytes of JSON; it also reports failures, because models read results but not protocol errors
 * @throws McpFailure if there is no such tool, or if its arguments are not an object
 */
export async function callTool(params: Record<string, unknown>, hub: Hub, waitSeconds: number): Promise<Bytes> {
  const { name } = params
  const given = readObject(params.arguments ?? {})
  const tool = TOOL_NAMES.find((candidate) => candidate === name)
  if (!tool) throw unknownName('tool', name, `The tools are ${TOOL_NAMES.join(', ')}.`)
  if (!isObject(given)) throw invalidParams('arguments: expected an object, for example {"owner": "acme"}.')
  try {
    if (waitSeconds > 0) throw (await import('../refusals.ts')).rateLimitError('toolCalls', waitSeconds)
    return await answerTool(tool, given, hub)
  } catch (thrown) {
    const { code, message } = toHubError(thrown)
    // The message is the same for all stores, because a model cannot use the difference.
    const sentence = code === 'unavailable' ? CATALOGUE_UNAVAILABLE : message
    return formatFailure(code, sentence)
  }
}

function answerTool<Name extends ToolName>(tool: Name, given: Record<string, unknown>, hub: Hub) {
  const { value, problems } = readArguments(tool, given)
  return problems ? formatFailure('invalid_request', formatProblems(problems)) : TOOL_ANSWERS[tool](value, hub)
}

/** Formats a failure as the bytes of JSON: without structuredContent, because the 1.x client would validate it against the output schema. */
function formatFailure(code: ErrorCode, sentence: string): Bytes {
  return encode(JSON.stringify({ content: [{ type: 'text', text: `${code}: ${sentence}` }], isError: true }))
}

/** Formats a result as the bytes of JSON. Clients pass either the text block or `structuredContent` to the model, so both have the same data. @param shown what the text block has instead */
function formatResult(structured: object, shown = structured): Bytes {
  const json = JSON.stringify(structured)
  const text = JSON.stringify(shown === structured ? json : JSON.stringify(shown))
  return encode(`{"content":[{"type":"text","text":${text}}],"structuredContent":${json}}`)
}

const SUMMARY = [
  'owner',
  'name',
  'title',
  'description',
  'tags',
  'status',
  'latest_version',
  'updated_at',
  'url',
  'html_url',
] as const

/** The record fields in each tool's result that tool-outputs.ts describes. */
export const FIELDS = {
  search_prompts: SUMMARY,
  get_prompt: [
    ...SUMMARY,
    ...(['license', 'status_message', 'version', 'yanked', 'content', 'content_sha256', 'size_bytes'] as const),
    ...(['variables', 'parameters', 'changelog', 'published_at', 'published_by', 'raw_url'] as const),
    ...(['advisories', 'warnings', 'missing_variables'] as const),
  ],
  list_versions: ['version', 'changelog', 'published_at', 'published_by', 'yanked', 'yank_reason'],
  list_tags: ['name', 'count'],
} as const

/** More fields of every prompt in results. The open schemas omit them, to keep the tool list, which every client loads, short and stable. */
const UNDESCRIBED_FIELDS = ['format', 'kind', 'forked_from'] as const

/** The handler of each tool, which returns the result as the bytes of JSON. @throws HubError with a message that says what to do next */
const TOOL_ANSWERS: {
  [Name in ToolName]: (given: Arguments<Name>, hub: Hub) => Promise<Bytes>
} = {
  async search_prompts({ q = '', tag, kind, sort, page = 1, limit = PAGE_SIZES.search_prompts.usual }, { search }) {
    const question = { text: q, tags: tag === undefined ? [] : [tag], kind, sort }
    const answer = await search().find({ ...question, offset: (page - 1) * limit, limit })
    const { data, meta } = searchEnvelope(answer, { page, size: limit })
    const shown = data.map((record) => pick(record, [...FIELDS.search_prompts, ...UNDESCRIBED_FIELDS]))
    return formatResult({ data: shown, meta })
  },

  async get_prompt({ version: asked, label, at, variables, offset, limit, ...place }, hub) {
    const { owner, name, repository } = await findNow(place, hub)
    if (!repository) throw await repositoryNotFound(owner, name, hub, 'Use search_prompts to find owner and name.')
    if (at !== undefined) checkTime(at, asked === undefined ? label : undefined, Date.now())
    const then =
      at === undefined || label === undefined ? undefined : await findVersionAt(owner, name, { label, at }, hub)
    const facts = repository.facts
    const chosen = then?.version ?? resolveVersion(facts, { version: asked, label }) ?? facts.latest_version
    const version = chosen === null || isVersion(chosen) ? chosen : await resolveRange(repository.value(), chosen)
    if (version === null) throw activeVersionNotFound(owner, name, 'Use list_versions, then pass "version".')
    const record = await findVersion(owner, name, version, hub)
    if (!record) throw await versionNotFound(owner, name, version, hub, 'Use list_versions to list its versions.')
    const isWhole = variables === undefined && offset === undefined && limit === undefined
    const known = isWhole ? wholePrompts.get(record.bytes()) : undefined
    if (known?.repository === repository.bytes()) return known.result
    const filled = variables ? await fill(record.value(), variables, hub) : leaveOpen(record.value())
    const data = {
      ...(await describePrompt(repository.value(), record.value(), filled)),
      capabilities: await describeCapabilities(record.value(), hub),
    }
    if (offset !== undefined || limit !== undefined)
      return formatResult({ data: { ...data, ...takePart(filled.content, offset, limit) } })
    // The messages of a chat prompt repeat its content, so a long text is returned without them.
    const result =
      filled.content.length > LONG_TEXT
        ? formatResult({ data }, { data: { ...data, content: undefined, note: LONG_NOTE } })
        : formatResult({ data: { ...data, messages: filled.messages } })
    if (isWhole) wholePrompts.set(record.bytes(), { repository: repository.bytes(), result })
    return result
  },

  async list_versions({ page = 1, limit = PAGE_SIZES.list_versions.usual, ...place }, hub) {
    const { owner, name } = await findNow(place, hub)
    // The pages of the hub's own list that have what this page shows.
    const [first, size] = [(page - 1) * limit, LIMITS.versionPageSize]
    const numbers = new Set([Math.floor(first / size), Math.floor((first + limit - 1) / size)])
    const found = await Promise.all([...numbers].map((number) => findVersionPage(owner, name, number + 1, hub)))
    const lists = found.flatMap((one) => one?.versions.value() ?? [])
    if (!lists[0]) throw await repositoryNotFound(owner, name, hub, 'Use search_prompts to find owner and name.')
    const start = first % size
    const shown = lists.flatMap(({ data }) => data).slice(start, start + limit)
    const data = shown.map((version) => pick(version, FIELDS.list_versions))
    return formatResult(listEnvelope(data, { page, size: limit, total: lists[0].meta.total }))
  },

  async list_tags({ q = '', page = 1, limit = PAGE_SIZES.list_tags.usual }, hub) {
    const wanted = q.trim().toLowerCase()
    const tags = (await findTags(hub)).value().filter(({ name }) => name.includes(wanted))
    const shown = tags.slice((page - 1) * limit, page * limit).map((tag) => pick(tag, FIELDS.list_tags))
    return formatResult(listEnvelope(shown, { page, size: limit, total: tags.length }))
  },
}

/** Results for whole prompts without values, by the bytes of the version's record, as long as a host keeps these and the repository's. */
const wholePrompts = new WeakMap<Bytes, { repository: Bytes; result: Bytes }>()

/** Finds a prompt where it is now, which is where it was unless it was renamed. */
async function findNow(
  { owner, name }: RepositoryPlace,
  hub: Hub,
): Promise<RepositoryPlace & { repository: FoundRepository | undefined }> {
  const repository = await findRepository(owner, name, hub)
  const isMoved = repository !== undefined && repository.facts.moved_to !== null
  const now = isMoved ? splitFullName((await findNewName(owner, name, hub.siteFiles)) ?? '') : undefined
  return now ? { ...now, repository: await findRepository(now.owner, now.name, hub) } : { owner, name, repository }
}

async function describePrompt(repository: Repository, record: VersionRecord, filled: FilledFields) {
  const { version } = record
  const yanked = !repository.versions.includes(version)
  const advisories = repository.advisories
    .filter(({ versions }) => versions.includes(version))
    .map(({ severity, range, message }) => `${severity}, ${range}: ${message}`)
  // The repository's record contains only the warnings for the latest version; others are rarely requested, so they are found on demand.
  const found =
    version === repository.latest_version
      ? repository.warnings
      : (await import('../../domain/content/findings.ts')).warnOfTexts(record)
  const warnings = found.map(({ code, line, message }) => `${code}${line === null ? '' : `, line ${line}`}: ${message}`)
  const said = { ...repository, ...record, ...filled, kind: kindOf(record), yanked, advisories, warnings }
  return pick(said, [...FIELDS.get_prompt, ...UNDESCRIBED_FIELDS])
}

/** Returns what a version can do: each kind with its severity. The list of tools does not describe it, to stay short. */
async function describeCapabilities(record: VersionRecord, hub: Hub): Promise<Record<string, string>> {
  const [{ findCapabilitiesNow }, { describeKinds }] = await Promise.all([
    import('../read/capabilities.ts'),
    import('../../domain/inspect/describe.ts'),
  ])
  const kinds = describeKinds(await findCapabilitiesNow(record, hub))
  return Object.fromEntries(kinds.map(({ kind, severity }) => [kind, severity]))
}

/** Length of a text, in UTF-16 code units, above which it is only in `structuredContent`: clients that pass both to the model would send it twice. */
const LONG_TEXT = 10_000
const LONG_NOTE = `The text is in structuredContent. If you cannot see it, call get_prompt again with "limit": ${LONG_TEXT}, then with "offset": next_offset.`

/** Returns the highest version in a range that is not yanked. @throws HubError if there is none */
async function resolveRange({ full_name, versions }: Repository, range: string): Promise<string> {
  // Imported on first use, because most calls name no range.
  const { selectVersions } = await import('../../domain/values/versions.ts')
  const [highest] = selectVersions(versions, range)
  if (highest !== undefined) return highest
  throw new HubError(
    'not_found',
    `${full_name} has no version in ${printable(range)}. Use list_versions, or give x.y.z or a range such as ^1.2.`,
  )
}

/** Returns a part of a text. @param offset the first character, and `limit` the maximum number of characters, in code points */
function takePart(text: string, offset = 0, limit = Number.POSITIVE_INFINITY) {
  const end = offset + limit
  let [count, index, start, stop] = [0, 0, text.length, text.length]
  for (const character of text) {
    if (count === offset) start = index
    if (count === end) stop = index
    count++
    index += character.length
  }
  return { content: text.slice(start, stop), content_characters: count, next_offset: end < count ? end : null }
}

/** The fields of a result that change when placeholders are filled in. */
interface FilledFields extends Pick<VersionRecord, 'content' | 'messages'> {
  missing_variables: string[]
}

/** Fills in placeholders. @throws HubError `invalid_request` for a value that does not match its variable, `content_too_large` if the filled text exceeds the limit */
async function fill(record: VersionRecord, values: FillingValues, { runLong }: Hub): Promise<FilledFields> {
  const { content, messages, variables } = record
  const { fillPrompt } = await import('./fill-prompt.ts')
  const { missing, ...filled } = await runLong(fillPrompt, { content, messages, variables }, values)
  return { ...filled, missing_variables: missing }
}

/** Returns the result for a call without values: the unchanged content with all its placeholders. */
function leaveOpen({ content, messages, variables }: VersionRecord): FilledFields {
  const names = new Set(variables.map(({ name }) => name))
  const used = findPlaceholders(content)
  return { content, messages, missing_variables: used.filter((name) => names.has(name)) }
}
