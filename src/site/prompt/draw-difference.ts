// Owns how a difference looks: what callers must know above, the lines below, in one column or two; the same in the build and in the browser.
import type { Difference, VersionRecord } from '../../domain/api/schema.ts'
import { findPlaceholders, splitContent } from '../../domain/content/placeholders.ts'
import { countOf } from '../../domain/text/count-of.ts'
import { escapeHtml } from '../../domain/text/html-text.ts'
import { drawText } from './prompt-text.ts'
import { compareTexts, type DifferenceRow, isComparable, type Piece } from './text-difference.ts'

/** Lines that stay beside each change; longer runs are folded. */
const CONTEXT = 3
/** Runs of so few lines are shown, because a fold would take as much room. */
const SHORTEST_FOLD = 2
/** A comparison is drawn up to this many characters of HTML; beyond, the page leads to the two texts. */
const MAX_DRAWN_CHARACTERS = 1_000_000

/** One of two versions that are compared, and the address of its bare text. */
type ComparedText = Pick<VersionRecord, 'version' | 'content' | 'raw_url'>

/** Draws what callers must know. */
export function drawForCallers({ breaking, format_changed, messages, variables, parameters }: Difference): string {
  const chip = (name: string) => `<span class="chip">${escapeHtml(name)}</span>`
  const rows: string[] = []
  const say = (sign: string, names: readonly string[], words: string) => {
    if (names.length > 0)
      rows.push(`<li><span class="sign" aria-hidden="true">${sign}</span> ${names.map(chip).join(' ')} ${words}</li>`)
  }
  const needed = variables.added.filter(({ required, default: preset }) => required && preset === null)
  const optional = variables.added.filter((variable) => !needed.includes(variable))
  const told = new Set([...variables.newly_required, ...variables.narrowed])
  say(
    '+',
    needed.map(({ name }) => name),
    'came and must be given',
  )
  say(
    '+',
    optional.map(({ name }) => name),
    'came and may be left out',
  )
  say('−', variables.removed, 'went: calls that give it are refused')
  say('!', variables.newly_required, 'must be given now')
  say('!', variables.narrowed, 'takes fewer values than before')
  say('+', messages.added, 'messages added')
  say('−', messages.removed, 'messages removed')
  say('·', messages.changed, 'messages changed')
  if (format_changed)
    rows.push('<li><span class="sign" aria-hidden="true">!</span> The format changed between text and chat</li>')
  for (const { name, fields } of variables.changed.filter(({ name }) => !told.has(name)))
    rows.push(
      `<li><span class="sign" aria-hidden="true">·</span> ${chip(name)} ${escapeHtml(fields.join(', '))} changed</li>`,
    )
  const settings: string[] = [
    ...parameters.added.map((key) => `+ ${key}`),
    ...parameters.removed.map((key) => `− ${key}`),
    ...parameters.changed.map((key) => `${key} changed`),
  ]
  const mark = breaking
    ? '<span class="mark breaks">Breaking for callers</span>'
    : '<span class="mark good">Safe for callers</span>'
  return `<div class="card for-callers"><div class="bar"><h2>For callers</h2>${mark}</div>${
    rows.length > 0 ? `<ul class="plain">${rows.join('')}</ul>` : '<p class="quiet">The variables are the same.</p>'
  }<p class="quiet">Parameters: ${settings.length > 0 ? escapeHtml(settings.join(', ')) : 'unchanged'}.</p></div>`
}

/** Draws the lines of two texts; a switch of the style sheet shows them in one column or in two. What is too long to be read is left out, with links to both texts. */
export function drawLines(from: ComparedText, to: ComparedText): string {
  const [before, after] = [from.content, to.content]
  if (before === after) return '<p class="notice">The text is the same in both.</p>'
  if (!isComparable(before, after)) return drawTooLong('These texts are too long to be compared here.', from, to)
  const rows = compareTexts(before, after)
  const came = rows.filter(({ kind }) => kind === 'came').length
  const went = rows.filter(({ kind }) => kind === 'went').length
  const { drawn, isCut } = foldRows(rows)
  const notice = isCut ? drawTooLong('Only the beginning of this long comparison is shown.', from, to) : ''
  return `${notice}<section class="lines" aria-labelledby="text"><div class="bar"><h2 id="text">Text</h2><p class="quiet">${countOf(came, 'line')} came, ${countOf(went, 'line')} went</p><div class="choice"><label><input type="radio" name="columns" checked>One column</label><label><input type="radio" name="columns" id="two-columns">Side by side</label></div></div><div class="difference"><div>${drawn.join('')}</div></div></section>`
}

function drawTooLong(words: string, ...texts: ComparedText[]): string {
  const links = texts.map(({ version, raw_url }) => `<a href="${escapeHtml(raw_url)}">${escapeHtml(version)}</a>`)
  return `<p class="notice">${words} Read both texts: ${links.join(', ')}.</p>`
}

/** Folds what stays, up to the bound; then `isCut` says that rows are left out. */
function foldRows(rows: readonly DifferenceRow[]): { drawn: string[]; isCut: boolean } {
  const isNear = (index: number) =>
    rows.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ kind }) => kind !== 'same')
  const drawn: string[] = []
  let length = 0
  const draw = (row: DifferenceRow) => {
    if (length > MAX_DRAWN_CHARACTERS) return ''
    const html = drawRow(row)
    length += html.length
    return length > MAX_DRAWN_CHARACTERS ? '' : html
  }
  let skipped: DifferenceRow[] = []
  /** Changed lines with none between them that stayed. In two columns, the ones that went stand at the left, and those that came in their place at the right. */
  let change: DifferenceRow[] = []
  const flush = () => {
    if (change.length > 0) drawn.push(`<div class="change">${change.map(draw).join('')}</div>`)
    if (skipped.length > SHORTEST_FOLD)
      drawn.push(`<div class="skipped">${countOf(skipped.length, 'line')} unchanged</div>`)
    else drawn.push(...skipped.map(draw))
    change = []
    skipped = []
  }
  for (const [index, row] of rows.entries()) {
    if (length > MAX_DRAWN_CHARACTERS) break
    if (row.kind !== 'same') {
      if (skipped.length > 0) flush()
      change.push(row)
      continue
    }
    if (change.length > 0) flush()
    if (isNear(index)) {
      flush()
      drawn.push(draw(row))
    } else skipped.push(row)
  }
  flush()
  return { drawn, isCut: length > MAX_DRAWN_CHARACTERS }
}

const SAID = { same: '', went: 'Went: ', came: 'Came: ' } as const
const SIGNS = { same: ' ', went: '−', came: '+' } as const

function drawRow({ kind, left, right, pieces }: DifferenceRow): string {
  const number = (value: number | undefined) => (value === undefined ? '' : String(value))
  return `<div class="line ${kind}"><span class="no" data-no="${number(left)}"></span><span class="no" data-no="${number(right)}"></span><span class="sign" aria-hidden="true" data-no="${SIGNS[kind]}"></span><span class="words" dir="auto"><span class="visually-hidden">${SAID[kind]}</span>${pieces.map(drawPiece).join('')}</span></div>`
}

function drawPiece({ text, isChanged }: Piece): string {
  const line = text.replace(/\r?\n$/, '')
  const html = splitContent(line, new Set(findPlaceholders(line)))
    .map(({ text, name }) => (name === undefined ? drawText(text) : `<span class="chip">${drawText(text)}</span>`))
    .join('')
  return isChanged ? `<mark>${html}</mark>` : html
}
