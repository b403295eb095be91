// Renders a comparison: the impact on callers, then the changed lines, unified or side by side.
import type { Difference, SkillFile, VersionRecord } from '../../domain/api/schema.ts'
import { compareForCallers, NO_SKILL } from '../../domain/catalogue/difference.ts'
import type { Composed } from '../../domain/compose/include-lines.ts'
import { findPlaceholders, splitContent } from '../../domain/content/placeholders.ts'
import { compareCapabilities } from '../../domain/inspect/compare.ts'
import { type DescribedKind, describeKinds } from '../../domain/inspect/describe.ts'
import type { Capability } from '../../domain/inspect/kinds.ts'
import { escapeHtml } from '../../domain/text/html-text.ts'
import { countOf } from '../../domain/text/plain-text.ts'
import { type Budget, openBudget, renderText } from './prompt-text.ts'
import { type NamePart, openPartNames, renderPartChanges, renderSigned } from './render-parts.ts'
import type { ComparedFile } from './skill-files.ts'
import { compareManyTexts, compareTexts, type DifferenceRow, isComparable, type Piece } from './text-difference.ts'

/** Number of context lines around each change; longer unchanged parts are folded. */
const CONTEXT = 3
/** Unchanged parts of at most this many lines are not folded, because a fold would take up as much space. */
const SHORTEST_FOLD = 2
/** Maximum length of a comparison's HTML in characters; beyond that, the page links to both texts. */
const MAX_DRAWN_CHARACTERS = 1_000_000
/** Maximum length of the HTML in folds; later ones only say how many lines they have. */
const MAX_FOLDED_CHARACTERS = 100_000

/** Maximum number of places of a kind of capability. */
const MAX_PLACES = 8

/** One of the compared versions, and the URL of its raw content. */
type ComparedText = Pick<VersionRecord, 'version' | 'raw_url'> & Composed

/** Renders a comparison of two versions: the impact on callers, the changed lines, and the changed files with the lines of those given. */
export function renderComparison(
  from: VersionRecord,
  to: VersionRecord,
  texts: readonly ComparedFile[] = [],
  abilities?: Record<'before' | 'after', readonly Capability[]>,
): { impact: string; lines: string; files: string } {
  const difference = compareForCallers(from, to)
  return {
    impact:
      renderCallerImpact(difference) +
      (abilities ? renderAbilities(abilities.before, abilities.after) : '') +
      renderPartChanges(from, to),
    lines: renderDifferenceLines(from, to),
    files: renderFileChanges(difference, from.files, to.files, texts),
  }
}

/** Renders the impact on callers. */
function renderCallerImpact(difference: Difference): string {
  const { breaking, reasons, format_changed, messages, variables, parameters } = difference
  const chip = (name: string) => `<span class="chip">${escapeHtml(name)}</span>`
  const rows: string[] = []
  const say = (sign: string, names: readonly string[], change: string, impact = '', thing = 'variable') => {
    if (names.length === 0) return
    const words = `${change} ${thing}${names.length === 1 ? '' : 's'}`
    rows.push(renderSigned(sign, `${words}: ${names.map(chip).join(' ')}${impact}`))
  }
  const required = new Set(variables.added_required)
  const told = new Set([...variables.newly_required, ...variables.narrowed])
  say('+', variables.added_required, 'Added required')
  const optional = variables.added.filter((name) => !required.has(name))
  say('+', optional, 'Added optional')
  say('−', variables.removed, 'Removed', ' (calls that pass it will fail)')
  say('!', variables.newly_required, 'Now required')
  say('!', variables.narrowed, 'Restricted', ' (accepts fewer values)')
  say('!', variables.undeclared, 'Added', ' (without a declaration, so it stays as text)', 'placeholder')
  if (reasons.includes(NO_SKILL)) rows.push(renderSigned('!', 'No longer an Agent Skill'))
  say('+', messages.added, 'Added', '', 'message')
  say('−', messages.removed, 'Removed', '', 'message')
  say('·', messages.changed, 'Changed', '', 'message')
  if (format_changed) rows.push(renderSigned('!', 'The format changed between text and chat'))
  for (const { name, fields } of variables.changed.filter(({ name }) => !told.has(name)))
    rows.push(renderSigned('·', `Changed variable: ${chip(name)} (${escapeHtml(fields.join(', '))})`))
  const settings = (['added', 'removed', 'changed'] as const).flatMap((change) =>
    parameters[change].map((key) => `${change} ${key}`),
  )
  const mark = breaking
    ? '<span class="mark breaks">Breaking change</span>'
    : '<span class="mark good">No breaking change</span>'
  return `<div class="card for-callers"><div class="bar"><h2>Impact on callers</h2>${mark}</div>${
    rows.length > 0 ? `<ul class="plain">${rows.join('')}</ul>` : '<p class="quiet">No changes to the variables.</p>'
  }<p class="quiet">Parameters: ${settings.length > 0 ? escapeHtml(settings.join(', ')) : 'unchanged'}.</p></div>`
}

/** Renders what the newer version can do that the older one cannot, and the other way round; empty if that is the same. */
function renderAbilities(before: readonly Capability[], after: readonly Capability[]): string {
  const { added, removed } = compareCapabilities(before, after)
  const row = (sign: string, now: string, { words, severity, all }: DescribedKind) => {
    const places = all
      .slice(0, MAX_PLACES)
      .map(({ path, line, text }) => `<li><code>${escapeHtml(text)}</code> ${escapeHtml(`${path}, line ${line}`)}</li>`)
    const mark = severity === 'danger' ? ': <strong>unusual for skills</strong>' : ''
    const more = all.length > MAX_PLACES ? `<li>and ${all.length - MAX_PLACES} more</li>` : ''
    return renderSigned(
      sign,
      `${now} ${escapeHtml(words)}${mark}<ul class="plain quiet">${places.join('')}${more}</ul>`,
    )
  }
  const rows = [
    ...describeKinds(added).map((one) => row('+', 'Now', one)),
    ...describeKinds(removed).map((one) => row('−', 'No longer', one)),
  ]
  if (rows.length === 0) return ''
  return `<section aria-labelledby="capabilities"><h2 id="capabilities">What it can do</h2><ul class="plain">${rows.join('')}</ul></section>`
}

/** Renders which files of a skill differ, with a link to each, and the changed lines of those whose texts are given. */
function renderFileChanges(
  { files }: Difference,
  before: readonly SkillFile[],
  after: readonly SkillFile[],
  texts: readonly ComparedFile[] = [],
): string {
  const link = (list: readonly SkillFile[], path: string, words = path) => {
    const { url = '' } = list.find((file) => file.path === path) ?? {}
    return `<a href="${escapeHtml(url)}">${escapeHtml(words)}</a>`
  }
  const rows = [
    ...files.added.map((path) => renderSigned('+', `Added ${link(after, path)}`)),
    ...files.removed.map((path) => renderSigned('−', `Removed ${link(before, path)}`)),
    ...files.changed.map((path) => renderSigned('·', `Changed ${link(after, path)} (${link(before, path, 'before')})`)),
  ]
  if (rows.length === 0) return ''
  const drawn = texts.length === 0 ? '' : drawFiles(texts)
  return `<section aria-labelledby="files"><h2 id="files">Files</h2><ul class="plain">${rows.join('')}</ul>${drawn}</section>`
}

function drawFiles(texts: readonly ComparedFile[]): string {
  let left = MAX_DRAWN_CHARACTERS
  const compared = compareManyTexts(texts.map(({ before = '', after = '' }) => [before, after]))
  const files = texts.flatMap(({ path }, at) => {
    const rows = compared[at]
    if (left <= 0 || !rows) return []
    const { drawn, isCut, length } = foldRows(rows, left)
    left -= length
    const notice = isCut ? '<p class="notice">This comparison is long; only the beginning is shown.</p>' : ''
    const head = `<code>${escapeHtml(path)}</code> <span class="quiet">${countChanges(rows)}</span>`
    return `<details class="lines" open><summary>${head}</summary>${notice}<div class="difference"><div>${drawn.join('')}</div></div></details>`
  })
  return files.join('')
}

function countChanges(rows: readonly DifferenceRow[]): string {
  const count = (wanted: DifferenceRow['kind']) =>
    rows.filter(({ kind, isWrapped }) => kind === wanted && !isWrapped).length
  if (rows.every(({ kind, isWrapped }) => kind === 'same' || isWrapped) && rows.some(({ isWrapped }) => isWrapped))
    return 'only line breaks'
  return `${count('added')} added, ${count('removed')} removed`
}

/** Renders the lines of two texts; CSS switches between one column and two. Texts that are too long are replaced with links to both. */
export function renderDifferenceLines(from: ComparedText, to: ComparedText): string {
  if (from.content === to.content) return '<p class="notice">The text is identical.</p>'
  const ends = sayFinalBreak(from, to)
  const [before, after] = [from, to].map(({ content }) => (ends === '' ? content : content.replace(/\r?\n$/, ''))) as [
    string,
    string,
  ]
  if (before === after) return ends
  if (!isComparable(before, after)) return renderTooLong('These texts are too long to compare here.', from, to)
  const rows = compareTexts(before, after)
  const { drawn, isCut } = foldRows(rows, MAX_DRAWN_CHARACTERS, openPartNames(from, to))
  const notice = isCut ? renderTooLong('This comparison is long; only the beginning is shown.', from, to) : ''
  return `${ends}${notice}<section class="lines" aria-labelledby="text"><div class="bar"><h2 id="text">Text</h2><p class="quiet">${countChanges(rows)}</p><div class="choice"><label><input type="radio" name="columns" checked>Unified</label><label><input type="radio" name="columns" id="two-columns">Side by side</label></div><p class="quiet needs-script"><kbd>n</kbd> <kbd>p</kbd> next and previous change</p></div><div class="difference"><div>${drawn.join('')}</div></div></section>`
}

/** Says that only one of two texts ends with a line break, which no line shows; empty if both do or neither. */
function sayFinalBreak(from: ComparedText, to: ComparedText): string {
  const [older, newer] = [from, to].map(({ content }) => content === '' || content.endsWith('\n'))
  if (older === newer || from.content === '' || to.content === '') return ''
  const [does, not] = older ? [from, to] : [to, from]
  return `<p class="notice">${escapeHtml(does.version)} ends with a line break, ${escapeHtml(not.version)} does not.</p>`
}

function renderTooLong(words: string, ...texts: ComparedText[]): string {
  const links = texts.map(({ version, raw_url }) => `<a href="${escapeHtml(raw_url)}">${escapeHtml(version)}</a>`)
  return `<p class="notice">${words} Full texts: ${links.join(', ')}.</p>`
}

/** Renders rows with unchanged parts folded. `isCut` is true if the size limit was reached and the remaining rows are omitted. @param nameOf says where the lines of included prompts come from */
function foldRows(
  rows: readonly DifferenceRow[],
  most = MAX_DRAWN_CHARACTERS,
  nameOf?: NamePart,
): { drawn: string[]; isCut: boolean; length: number } {
  let length = 0
  let last: string | undefined
  const budget = openBudget(Number.POSITIVE_INFINITY)
  const draw = (row: DifferenceRow) => {
    if (length > most) return ''
    const part = nameOf?.(row)
    const head = part === undefined || part === last ? '' : `<div class="part">${escapeHtml(part)}</div>`
    last = part
    const html = head + renderRow(row, part !== undefined, budget)
    length += html.length
    return length > most ? '' : html
  }
  const drawn: string[] = []
  const blocks = splitIntoBlocks(rows)
  let foldable = Math.min(most, MAX_FOLDED_CHARACTERS)
  const fold = (folded: readonly DifferenceRow[]) => {
    const words = `${countOf(folded.length, 'line')} unchanged`
    const html = foldable > 0 ? folded.map((row) => renderRow(row, nameOf?.(row) !== undefined, budget)).join('') : ''
    foldable -= html.length
    return foldable > 0
      ? `<details class="skipped"><summary>${words}</summary>${html}</details>`
      : `<div class="skipped">${words}</div>`
  }
  for (const [index, block] of blocks.entries()) {
    if (length > most) break
    const [first] = block
    if (first!.kind !== 'same') {
      const isWrapped = block.every(({ isWrapped }) => isWrapped)
      const note = isWrapped ? '<p class="wrapped-note">Only line breaks changed</p>' : ''
      // Side by side, removed lines are on the left and added lines are on the right.
      drawn.push(`<div class="change${isWrapped ? ' wrapped' : ''}">${note}${block.map(draw).join('')}</div>`)
      continue
    }
    const from = index === 0 ? 0 : CONTEXT
    const to = block.length - (index === blocks.length - 1 ? 0 : CONTEXT)
    if (to - from <= SHORTEST_FOLD) drawn.push(...block.map(draw))
    else drawn.push(...block.slice(0, from).map(draw), fold(block.slice(from, to)), ...block.slice(to).map(draw))
  }
  return { drawn, isCut: length > most, length }
}

/** Splits rows into blocks of consecutive unchanged or consecutive changed rows; a paragraph with other line breaks is a block of its own. */
function splitIntoBlocks(rows: readonly DifferenceRow[]): DifferenceRow[][] {
  const blocks: DifferenceRow[][] = []
  for (const row of rows) {
    const last = blocks.at(-1)
    const isSame = (other: DifferenceRow) =>
      (other.kind === 'same') === (row.kind === 'same') && other.paragraph === row.paragraph
    if (last && isSame(last[0]!)) last.push(row)
    else blocks.push([row])
  }
  return blocks
}

const SAID = { same: '', removed: 'Removed: ', added: 'Added: ' } as const
const SIGNS = { same: ' ', removed: '−', added: '+' } as const

function renderRow(
  { kind, left, right, pieces, isWrapped }: DifferenceRow,
  isIncluded: boolean,
  budget: Budget,
): string {
  const number = (value: number | undefined) => (value === undefined ? '' : String(value))
  const words = pieces.map((piece) => renderPiece(piece, budget)).join('')
  // Side by side, an unchanged line is in both columns.
  return `<div class="line ${kind}${isWrapped ? ' calm' : ''}${isIncluded ? ' included' : ''}"><span class="no" data-no="${number(left)}"></span><span class="no" data-no="${number(right)}"></span><span class="sign" aria-hidden="true" data-no="${SIGNS[kind]}"></span><span class="words" dir="auto"><span class="visually-hidden">${isWrapped ? '' : SAID[kind]}</span>${words}</span>${
    kind === 'same'
      ? `<span class="words twin" dir="auto" data-text="${escapeHtml(
          pieces
            .map(({ text }) => text)
            .join('')
            .replace(/\r?\n$/, ''),
        )}"></span>`
      : ''
  }</div>`
}

function renderPiece({ text, isChanged }: Piece, budget: Budget): string {
  const line = text.replace(/\r?\n$/, '')
  const html = splitContent(line, new Set(findPlaceholders(line)))
    .map(({ text, name }) =>
      name === undefined ? renderText(text, budget) : `<span class="chip">${renderText(text, budget)}</span>`,
    )
    .join('')
  return isChanged ? `<mark>${html}</mark>` : html
}
