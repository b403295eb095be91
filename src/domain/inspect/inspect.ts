// Lists what a version can do, by rules over its text and files: without a model, the same on any machine, and in linear time.

import { lineCounter } from '../text/plain-text.ts'
import { withoutControls } from '../text/printable.ts'
import { decodeFile } from '../values/file-entry.ts'
import { decodeDamaged } from './damaged-text.ts'
import { CAPABILITY_KINDS, type Capability, type CapabilityKind, type CapabilitySeverity, MORE } from './kinds.ts'
import type { Rule } from './rule.ts'
import { DISGUISED_RULES } from './rules-disguised.ts'
import { MACHINE_RULES } from './rules-machine.ts'
import { PROGRAM_RULES } from './rules-programs.ts'
import { SENTENCE_RULES } from './rules-sentences.ts'
import { findLines, openWords } from './words.ts'

/** A file to inspect: its path and its text or bytes. */
export interface InspectedFile {
  path: string
  text?: string
  bytes?: Uint8Array
}

const RULES: readonly Rule[] = [...PROGRAM_RULES, ...DISGUISED_RULES, ...MACHINE_RULES, ...SENTENCE_RULES]
/** Whether a rule looks for the address of something else than the address itself. */
const LOOKS_FOR_ADDRESS = RULES.map((rule) => rule.shown === undefined && rule.pattern.source.includes('?<address>'))
const WORDS = openWords(RULES.map(({ words }) => words))

/** Listed findings of a kind with one severity; the others are counted. */
const MAX_LISTED = 50
/** How many characters all rules together read, so that a text in which every rule looks in vain takes no longer than others of its length: the densest of 649 public skills needs nine for each of its own. */
const MAX_READ = 12_000_000
const MIN_READ = 500_000
const READ_PER_CHARACTER = 12
/** New matches of one rule in one line. */
const MAX_MATCHES = 20
/** With more addresses in a line, each rule that looks for one tries many places, and this many times the line counts as read. */
const MAX_ADDRESSES = 40
const DENSE_COST = 1_000
/** Looking for a rule in a line takes as long as reading this many characters, however short the line is. */
const LOOK_COST = 40
/** A rule looks this far from each of its words. What few good lines have is not counted. */
const REPEATED_COST = 200
const MANY_REPEATED = 20
/** As much of a match as is compared. */
const MAX_SHOWN = 2_000

/** Programs by the ending of their path: what runs them. */
const PROGRAMS: readonly (readonly [RegExp, CapabilityKind, string])[] = [
  [/\.(?:sh|bash|zsh|fish|command)$/i, 'shell', 'shell script'],
  [/\.(?:ps1|psm1|bat|cmd|vbs)$/i, 'shell', 'Windows script'],
  [/\.pyw?$/i, 'interpreter', 'Python'],
  [/\.(?:[mc]?js|[mc]?ts|jsx|tsx)$/i, 'interpreter', 'JavaScript'],
  [/\.(?:rb|pl|php|lua|r|jl|go|scpt|applescript)$/i, 'interpreter', 'program'],
]
const PROSE = /\.(?:md|mdx|markdown|txt|rst|adoc)$|^content$/i
/** The first bytes of programs and packed files. */
const PACKED: readonly (readonly [RegExp, CapabilitySeverity, string])[] = [
  [/^(?:\x7fELF|MZ|\xfe\xed\xfa|[\xce\xcf]\xfa\xed\xfe|\xca\xfe\xba\xbe|\0asm)/, 'danger', 'a compiled program'],
  [/^(?:PK\x03\x04|\x1f\x8b|7z\xbc\xaf|Rar!|BZh|\xfd7zXZ|\x28\xb5\x2f\xfd)/, 'info', 'a packed file'],
]
/** What runs a file, whatever its name is, by its first line. */
const RUNNERS: readonly (readonly [RegExp, CapabilityKind, string])[] = [
  [/^#![^\n]{0,200}\b(?:ba|z|da|k|fi)?sh\b/, 'shell', 'shell script'],
  [/^#![^\n]{0,200}\bpython/, 'interpreter', 'Python'],
  [/^#![^\n]{0,200}\b(?:node|deno|bun|tsx)\b/, 'interpreter', 'JavaScript'],
  [/^#!/, 'interpreter', 'program'],
]
const MAX_FIRST_LINE = 256
/** With fewer bytes that can be read, a file is an image, a font or the like, in which words are there by chance. */
const READABLE_SHARE = 0.7
/** A row of characters that is a text also between bytes that are none. */
const PRINTED = /[\t\x20-\x7e]{16,}/g
const IMAGE = /^(?:\x89PNG|\xff\xd8\xff|GIF8|RIFF[\s\S]{4}WEBP)/
const FENCE = /(?<=^[ \t>*+-]{0,12}(?:\d{1,3}\.[ \t]{1,4})?)(`{3,}|~{3,})[ \t]*([\w+-]*)/gm
const SHELL_LANGUAGE = /^(?:ba|z|fi)?sh$|^shell$|^console$|^powershell$|^ps1$|^pwsh$|^cmd$|^bat$/i

/** Lists what the files of a version can do, in their order. Of what is said more than once in a file, the first place counts. @param digest names those that are only counted, so that another one among them is a difference @returns at most 50 of each kind and severity, then how many more there are */
export function inspectFiles(files: readonly InspectedFile[], digest: (text: string) => string): Capability[] {
  const found: Capability[] = []
  const texts = files.map(({ path, bytes, text = bytes && decodeFile(bytes) }) => ({ path, bytes, text }))
  const characters = texts.reduce((sum, { text, bytes }) => sum + (text ?? bytes ?? '').length, 0)
  const state = { left: Math.min(MAX_READ, MIN_READ + READ_PER_CHARACTER * characters) }
  for (const { path, bytes, text } of texts) {
    const inFile = new Map<string, Capability>()
    const add = (kind: CapabilityKind, severity: CapabilitySeverity, line: number, words: string) => {
      const shown = withoutControls(words.replace(/\s+/g, ' ').trim().slice(0, MAX_SHOWN))
      const key = `${kind} ${severity} ${shown}`
      if (!inFile.has(key)) inFile.set(key, { kind, severity, path, line, text: shown })
    }
    const start = text ?? new TextDecoder().decode(bytes?.subarray(0, MAX_FIRST_LINE))
    const program = PROGRAMS.find(([ending]) => ending.test(path)) ?? RUNNERS.find(([first]) => first.test(start))
    if (program) add(program[1], 'info', 1, program[2])
    if (text === undefined) inspectBytes(path, bytes ?? new Uint8Array(), program !== undefined, add, state)
    else inspectText(path, text, add, state)
    found.push(...[...inFile.values()].sort((a, b) => a.line - b.line || orderOf(a) - orderOf(b)))
  }
  return limit(found, digest)
}

const orderOf = ({ kind }: Capability) => CAPABILITY_KINDS.indexOf(kind)

type Add = (kind: CapabilityKind, severity: CapabilitySeverity, line: number, words: string) => void

/** Names a file that is no text, and reads what is text in it: a shell runs a file in spite of some other bytes, and a file that begins as an image need not be one. */
function inspectBytes(path: string, bytes: Uint8Array, isProgram: boolean, add: Add, state: { left: number }): void {
  const start = String.fromCharCode(...bytes.subarray(0, 16))
  const isImage = IMAGE.test(start)
  // What runs a program reads it up to `exit`, whatever follows.
  const isReadable = isProgram || countReadable(bytes) >= bytes.length * READABLE_SHARE
  const [, severity = 'info' as const, what = 'a file that is no text'] =
    PACKED.find(([sign]) => sign.test(start)) ?? []
  if (isImage && isReadable && bytes.length > 0) add('encoded', 'danger', 1, 'a text that begins as an image')
  else if (!isImage) add('encoded', severity, 1, what)
  // A text in UTF-16 is one without its zeros. In other bytes, only what is long enough to be no chance is read.
  const text = isReadable
    ? decodeDamaged(bytes)
    : (new TextDecoder('latin1').decode(bytes).match(PRINTED) ?? []).join('\n')
  const addSome: Add = (kind, severity, line, words) => {
    if (isReadable || (severity === 'danger' && kind !== 'hides')) add(kind, severity, line, words)
  }
  inspectText(path, text, addSome, state)
}

function countReadable(bytes: Uint8Array): number {
  let count = 0
  for (let at = 0; at < bytes.length; at++) count += Number(isReadableByte(bytes[at]!))
  return count
}

const isReadableByte = (byte: number) =>
  (byte >= 32 && byte < 127) || byte === 0 || byte === 9 || byte === 10 || byte === 13

function inspectText(path: string, text: string, add: Add, state: { left: number }): void {
  const isProse = PROSE.test(path) && !text.startsWith('#!')
  const isCode = isProse ? insideOf(findCode(text, add)) : () => true
  const known = new Set<string>()
  let takesSecrets = false
  let sends = 0
  for (const { line, offset, text: words, from, to, rules, repeated } of findLines(text, WORDS)) {
    state.left -= Math.max(0, repeated - MANY_REPEATED) * REPEATED_COST
    const inCode = isCode(offset)
    const isDense = words.split('://', MAX_ADDRESSES + 2).length > MAX_ADDRESSES + 1
    for (const index of rules) {
      state.left -= LOOK_COST + words.length * (isDense && LOOKS_FOR_ADDRESS[index] ? DENSE_COST : 1)
      if (state.left < 0) {
        add('encoded', 'danger', line, 'more than the rules read')
        return
      }
      const rule = RULES[index]!
      if (rule.needs && !rule.needs.some((one) => words.includes(one))) continue
      if (rule.where === 'code' && !inCode && !words.includes('`')) continue
      if (rule.where === 'prose' && !isProse && !/["'#/*]/.test(words)) continue
      let news = 0
      rule.pattern.lastIndex = 0
      for (let match = rule.pattern.exec(words); match && match.index < to; match = rule.pattern.exec(words)) {
        const end = match.index + match[0].length
        // What is in the lines around alone is found there.
        if (end <= from) continue
        const shown = match[rule.shown ?? 0] ?? match[0]
        const key = `${index} ${shown}`
        if (known.has(key)) continue
        known.add(key)
        if (rule.except?.test(shown)) continue
        if (++news > MAX_MATCHES) {
          add(rule.kind, rule.severity, line, 'more in one line than the rules list')
          break
        }
        const severity = rule.severity === 'danger' && rule.usual?.test(words) ? 'notice' : rule.severity
        add(rule.kind, severity, match.index < from ? line - 1 : line, rule.shown === 1 ? shown.toLowerCase() : shown)
        if (rule.kind === 'secrets' && severity !== 'info') takesSecrets = true
        if (rule.kind === 'sends-data' && sends === 0) sends = line
      }
    }
  }
  if (takesSecrets && sends > 0 && !isProse)
    add('sends-data', 'danger', sends, 'sends something, in a program that reads secrets')
}

/** Finds the code blocks of a text. @returns where each begins and ends */
function findCode(text: string, add: Add): { from: number; to: number }[] {
  const blocks: { from: number; to: number }[] = []
  const lineAt = lineCounter(text, 1)
  let fence = ''
  for (const { 1: mark = '', 2: language = '', index } of text.matchAll(FENCE)) {
    if (fence === '') {
      fence = mark
      blocks.push({ from: index, to: text.length })
      if (SHELL_LANGUAGE.test(language)) add('shell', 'info', lineAt(index), 'shell commands')
    } else if (mark.startsWith(fence) && language === '') {
      fence = ''
      blocks.at(-1)!.to = index
    }
  }
  return blocks
}

/** Returns a function that tells whether increasing offsets are in a block. */
function insideOf(blocks: readonly { from: number; to: number }[]): (offset: number) => boolean {
  let next = 0
  return (offset) => {
    while (next < blocks.length && blocks[next]!.to <= offset) next++
    return next < blocks.length && blocks[next]!.from <= offset
  }
}

/** How many letters of a digest name the others. */
const DIGEST_LETTERS = 16

/** Keeps the first of each kind and severity, and counts the others. */
function limit(found: readonly Capability[], digest: (text: string) => string): Capability[] {
  const counts = new Map<string, number>()
  const kept = found.filter(({ kind, severity }) => {
    const key = `${kind} ${severity}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
    return counts.get(key)! <= MAX_LISTED
  })
  for (const [key, count] of counts) {
    if (count <= MAX_LISTED) continue
    const at = kept.findLastIndex(({ kind, severity }) => `${kind} ${severity}` === key)
    const others = found.filter(({ kind, severity }) => `${kind} ${severity}` === key).slice(MAX_LISTED)
    const name = digest(JSON.stringify(others.map(({ text }) => text).sort())).slice(0, DIGEST_LETTERS)
    kept.splice(at + 1, 0, { ...kept[at]!, text: `${MORE}${count - MAX_LISTED} more of this kind (${name})` })
  }
  return kept
}
