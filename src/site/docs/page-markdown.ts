// Writes a generated page of the docs as Markdown: from its HTML, so that a page and its Markdown never differ.

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#34': '"' }
const PART = /<(\/?)([a-z][a-z0-9]*)((?:"[^"]*"|[^">])*)>|[^<]+/g
/** What is for the browser alone. */
const LEFT_OUT = /<(nav|aside|button|script|svg)\b[\s\S]*?<\/\1>|<span class="visually-hidden">[^<]*<\/span>/g
const MARKS: Readonly<Record<string, string>> = { strong: '**', b: '**', em: '*', i: '*' }
const BLOCKS: ReadonlySet<string> = new Set(['p', 'div', 'section', 'article', 'dl', 'ul', 'ol', 'table', 'summary'])

const decode = (text: string) => text.replace(/&(#?\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole)

/** Returns the main part of a page as Markdown. @param html a page of this site, with well-formed HTML */
export function writeAsMarkdown(html: string): string {
  const [main = ''] = /<main\b[\s\S]*<\/main>/.exec(html) ?? []
  let written = ''
  let isPre = false
  let isInList = false
  let isInFact = false
  let cells: string[] | undefined
  let columns = 0
  const hrefs: (string | undefined)[] = []
  /** Where a cell or a piece of code began. */
  const starts: number[] = []
  const take = () => {
    const start = starts.pop() ?? written.length
    const taken = written.slice(start)
    written = written.slice(0, start)
    return taken
  }
  const startBlock = () => {
    if (cells) written += ' '
    else if (!isInList) written = `${written.trimEnd()}\n\n`
  }
  for (const [part, slash, tag = '', attributes = ''] of main.replace(LEFT_OUT, '').matchAll(PART)) {
    const isEnd = slash === '/'
    if (tag === '') written += isPre ? decode(part) : decode(part).replace(/\s+/g, ' ')
    else if (/^h[1-6]$/.test(tag)) {
      startBlock()
      if (!isEnd) written += `${'#'.repeat(Number(tag[1]))} `
    } else if (tag === 'pre') {
      isPre = !isEnd
      if (isEnd) written = `${written.trimEnd()}\n\`\`\`\n\n`
      else written = `${written.trimEnd()}\n\n\`\`\`\n`
    } else if (tag === 'code' && !isPre) {
      if (isEnd) {
        const code = take()
        written += code.includes('`') ? `\`\` ${code} \`\`` : `\`${code}\``
      } else starts.push(written.length)
    } else if (tag === 'a') {
      if (isEnd) {
        const href = hrefs.pop()
        if (href !== undefined) written += `](${href})`
      } else {
        const href = /\bhref="([^"]*)"/.exec(attributes)?.[1]
        hrefs.push(href && decode(href))
        if (href !== undefined) written += '['
      }
    } else if (tag === 'tr') {
      if (!isEnd) cells = []
      else if (cells) {
        written = `${written.trimEnd()}${columns === 0 ? '\n' : ''}\n| ${cells.join(' | ')} |`
        if (columns === 0) written += `\n|${'---|'.repeat(cells.length)}`
        columns = cells.length
        cells = undefined
      }
    } else if (tag === 'th' || tag === 'td') {
      if (isEnd) cells?.push(take().trim().replaceAll('|', '\\|'))
      else starts.push(written.length)
    } else if (tag === 'li' || tag === 'dt') {
      isInList = true
      if (!isEnd) written = `${written.endsWith('\n\n') ? written : `${written.trimEnd()}\n`}- `
    } else if (tag === 'dd') {
      isInFact = !isEnd
      if (!isEnd) written += ': '
    } else if (tag === 'span' && isEnd) written += ' '
    else if (tag === 'label') {
      startBlock()
      written = isEnd ? `${written.trimEnd()}**\n\n` : `${written}**`
    } else if (MARKS[tag] !== undefined) written += MARKS[tag]
    else if (BLOCKS.has(tag)) {
      if (tag === 'table') columns = 0
      if (/^(?:ul|ol|dl)$/.test(tag)) isInList = false
      if (isInFact && tag === 'div' && !isEnd) written = `${written.trimEnd()}\n  - `
      else startBlock()
    }
  }
  return `${written
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim()}\n`
}
