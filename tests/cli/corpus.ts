// Strings that hubcli must send, store and print byte for byte.

const BOM = '\uFEFF'

const ALL: [name: string, content: string | Buffer][] = [
  ['a plain line', 'Review this code.\n'],
  ['no final newline', 'Review this code.'],
  ['many final newlines', 'a\n\n\n\n'],
  ['one character', 'x'],
  ['quotes and backslashes', '"\\" \\\\" \'\' \\n \\u0041 \\/ "\\'],
  ['tabs', '\ta\t\tb\t\n\t'],
  ['CRLF and lone CR', 'a\r\nb\rc\r\n'],
  ['BOM', `${BOM}a${BOM}\n`],
  ['emoji and UTF-8 sequences of every length', 'aé€😀\u{10FFFF}\uFFFF\uD7FF\uE000\u0080\u07FF\u0800 👩‍👩‍👧‍👦\n'],
  [
    'every allowed control character',
    `a${Array.from({ length: 31 }, (_, i) => String.fromCharCode(i + 1)).join('')}\x7F\x80\x9F`,
  ],
  ['replacement patterns and formats', `$& $1 $' $\` %s %d %% %n {{name}} \${x} $(id) \`id\`\n`],
  ['text that looks like shell or echo options', '-n\n-e \\c \\0101\n--\n'],
  ['front matter', '---\nversion: "9.9.9"\n---\n\n---\n'],
  ['JSON', '{"data":{"version":"7.7.7"},"error":{"message":"no"}}\n'],
  ['long lines', `${'word '.repeat(12_000)}\n${'\\'.repeat(20_000)}\n${'"'.repeat(20_000)}`],
  ['exactly the limit', `${'é'.repeat(131_071)}ab`],
]

const EDGES = /^(?:no final newline|BOM|front matter|text that looks like shell or echo options|exactly the limit)$/

/** What must come back unchanged after publishing: all strings as one, those whose beginning or end matters, and long ones. */
export const CORPUS: typeof ALL = [
  ['all short strings', ALL.map(([, content]) => (content.length < 1_000 ? content : '')).join('')],
  ...ALL.filter(([name, content]) => EDGES.test(name) || content.length >= 20_000),
]
