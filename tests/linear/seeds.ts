// Texts of one repeated character, pair or line.

/** The repeated parts; a `#` in a numbered part is replaced by a running number. */
const REPEATED = [
  ...[
    'a',
    ' ',
    '\n',
    '\t',
    '\r\n',
    '\\',
    '"',
    '`',
    '#',
    '# ',
    '*',
    '_',
    '-',
    '<',
    '&',
    '|-\n',
    '[',
    '[a](',
    '{{',
    '{{a}}',
  ],
  ...['}}', '{%', '${env:', '@', '!`', '- ', 'a: b\n', 'a\n', '/', '---\n', '\u200b', '\u{e0041}', 'а', '👩\u200d'],
  ...['{{role "', '{{role "user"}}\n', '{{history}}', 'user:\n', '@@@langfusePrompt:', '(a', '\\{{'],
  ...['$0', '$ARGUMENTS', '\\$1', '{{!--', '{{! a }} ', '{{include "a/b"}}\n', '{{include "'],
]
const NUMBERED = ['{{a#}}', '{{ a# }}', 'a#: 1\n', 'word# ', '"a#":1,']

export const SEEDS: readonly string[] = [...REPEATED, ...NUMBERED]

const cache = new Map<string, string>()

/** Returns a text of about a length that repeats a part. */
export function makeText(seed: string, length: number): string {
  const key = `${length} ${seed}`
  const text = cache.get(key) ?? (NUMBERED.includes(seed) ? countUp(seed, length) : repeat(seed, length))
  cache.set(key, text)
  return text
}

const repeat = (seed: string, length: number) => seed.repeat(Math.ceil(length / seed.length)).slice(0, length)

function countUp(seed: string, length: number): string {
  let text = ''
  for (let number = 0; text.length < length; number++) text += seed.replace('#', String(number))
  return text
}
