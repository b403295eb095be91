// The rules for commands that are written so that nobody, and no other rule, finds them.
import { pattern, type Rule } from './rule.ts'

const raw = String.raw

/** What a shell drops between the letters of a word; the end of a line is read as a space. */
const GAP = raw`(?:''|""|\\ ?)`
/** Writes a command with a gap after each of its letters but the last, in turn. */
const torn = (command: string) =>
  Array.from(command.slice(1), (_, at) => `${command.slice(0, at + 1)}${GAP}${command.slice(at + 1)}`).join('|')
const SHELL = raw`(?:ba|z|da)?sh\b`

/** The rules for commands in disguise. */
export const DISGUISED_RULES: readonly Rule[] = [
  {
    kind: 'encoded',
    severity: 'danger',
    words: 'url cu cur get wg wge ash ba bas',
    needs: ["''", '""', '\\'],
    where: 'code',
    pattern: pattern(raw`(?<![\w\\])(?:${['curl', 'wget', 'bash'].map(torn).join('|')})\b`),
    why: 'The name of a command in parts, which a shell puts together.',
  },
  {
    kind: 'encoded',
    severity: 'danger',
    words: 'printf echo tr rev',
    needs: ['|'],
    where: 'code',
    pattern: pattern(
      raw`\b(?:printf|echo)\b[^\n|]{0,200}\\x[0-9a-f]{2}[^\n|]{0,200}\|\s*${SHELL}`,
      raw`|\|\s*(?:tr\s[^\n|]{3,60}|rev\s*)\|\s*${SHELL}`,
    ),
    why: 'Runs what is only a command after it was decoded.',
  },
  {
    kind: 'encoded',
    severity: 'danger',
    words: 'getattr constructor',
    where: 'code',
    pattern:
      /\bgetattr\(\s?(?:os|subprocess|builtins|__builtins__)\s?,\s?["'][^"'\n]{0,20}["']\s?\+|\.constructor\.constructor\(/g,
    why: 'Calls a function by a name that is put together.',
  },
  {
    kind: 'download-and-run',
    severity: 'danger',
    words: 'http https',
    needs: ['$'],
    where: 'code',
    pattern: /\bhttps?:\/\/[^\s|"']{3,200}["']?[^\n|]{0,40}\|\s{0,3}["']?\$\{?(?:SHELL|BASH|[a-z]{1,2})\b/g,
    why: 'Gives what an address answers to a program that a variable names.',
  },
  {
    kind: 'download-and-run',
    severity: 'danger',
    words: 'curl wget',
    where: 'code',
    pattern:
      /\b(?:curl|wget)\s[^\n;&|]{0,40}(\/tmp\/[\w.-]{1,40})[^\n]{0,200}(?:;|&&)\s{0,3}(?:\.|source)\s{1,3}["']?\1\b/g,
    why: 'Reads what it downloaded into its own shell.',
  },
  {
    kind: 'encoded',
    severity: 'notice',
    words: 'data',
    needs: ['base64,'],
    pattern: /\bdata:(?:text\/(?:html|javascript)|application\/(?:javascript|x-sh))[^\s,]{0,40};base64,/gi,
    why: 'A page or a program inside of an address.',
  },
]
