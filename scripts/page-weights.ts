// Owns how heavy a page of the site may be over the wire, and finding those that are heavier: the page itself, compressed, with all that it loads.
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { DATA_FILES } from '../src/domain/api/routes.ts'
import type { Catalogue } from '../src/domain/catalogue/catalogue.ts'

/** Most bytes of the front page, of a prompt's and of a version's. docs/contract.md section 10 */
const MOST_BYTES = { home: 60_000, prompt: 50_000 } as const
/** What authors wrote is not the site's weight: it is taken off, and this stands in its place, more than any prompt of the starter catalogue has. */
const ORDINARY_TEXT_BYTES = 4_000
/** Beyond it a prompt says little about the site: its text stands in its page in several forms. */
const MOST_TEXT_BYTES = 4_000

/** Among so many of the first prompts one with little text is looked for; all of them would take seconds at a hundred thousand. */
const MOST_LOOKED_AT = 1_000

/** Of our own host: what never changes is compressed as well as it goes, pages fast enough to be waited for. */
const QUALITY = { asset: 11, page: 5 } as const

/** Pages are too heavy; the message has a sentence for each. */
export class HeavyPagesError extends Error {}

/**
 * Weighs the front page, and the pages of the prompt with the least text among the first thousand.
 *
 * @param dist folder of a whole site, just built
 * @throws HeavyPagesError
 */
export function checkPageWeights(dist: string, catalogue: Catalogue): void {
  const top = catalogue.listed.top
  const heavy = [weigh(dist, 'The front page', '/', MOST_BYTES.home, [DATA_FILES.list('top', 1)])]
  const smallest = top
    .slice(0, MOST_LOOKED_AT)
    .map(({ owner, name, latest_version }) => {
      const texts = [DATA_FILES.repository(owner, name), DATA_FILES.versions(owner, name)]
      const bytes = texts.reduce((sum, path) => sum + statSync(join(dist, path)).size, 0)
      return { page: `/${owner}/${name}`, latest_version, texts, bytes }
    })
    .filter(({ bytes }) => bytes <= MOST_TEXT_BYTES)
    .toSorted((a, b) => a.bytes - b.bytes)[0]
  if (smallest) {
    const { page, latest_version, texts } = smallest
    heavy.push(
      weigh(dist, 'A prompt’s page', page, MOST_BYTES.prompt, texts),
      weigh(dist, 'A version’s page', `${page}/v/${latest_version}`, MOST_BYTES.prompt, texts),
    )
  }
  const sentences = heavy.filter((sentence) => sentence !== undefined)
  if (sentences.length > 0) throw new HeavyPagesError(sentences.join('\n'))
}

/** @param texts files with all that authors wrote of what the page shows @returns a sentence when it is too heavy */
function weigh(dist: string, what: string, path: string, most: number, texts: readonly string[]): string | undefined {
  const html = readFileSync(join(dist, path, 'index.html'))
  const written = compress(Buffer.concat(texts.map((file) => readFileSync(join(dist, file)))), QUALITY.page)
  const loaded = listLoaded(dist, html.toString()).map((file) => ({ file, bytes: weighAsset(dist, file) }))
  const own = compress(html, QUALITY.page) - written + ORDINARY_TEXT_BYTES
  const total = loaded.reduce((sum, { bytes }) => sum + bytes, own)
  if (total <= most) return undefined
  const parts = loaded.toSorted((a, b) => b.bytes - a.bytes).map(({ file, bytes }) => `${file} ${say(bytes)}`)
  return `${what} weighs ${say(total)} bytes over the wire with an ordinary text, and may weigh ${say(most)}: ${path} ${say(own)}, ${parts.join(', ')}.`
}

const say = (bytes: number) => bytes.toLocaleString('en')

/** What a browser fetches for a page: what it links, and what its scripts import. */
function listLoaded(dist: string, html: string): string[] {
  const found = new Set(
    [...html.matchAll(/(?:href|src)="(\/assets\/[^"]+|\/favicon\.svg)"/g)].map((match) => match[1]!),
  )
  // A set grows while it is walked.
  for (const file of found) {
    if (!file.endsWith('.js')) continue
    for (const [, name] of readFileSync(join(dist, file), 'utf8').matchAll(/(?:from|import)\s*["']\.\/([^"']+)["']/g))
      found.add(`/assets/${name}`)
  }
  return [...found]
}

/** A font is compressed already. */
function weighAsset(dist: string, file: string): number {
  const bytes = readFileSync(join(dist, file))
  return file.endsWith('.woff2') ? bytes.length : compress(bytes, QUALITY.asset)
}

function compress(bytes: Uint8Array, quality: number): number {
  return brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  }).length
}
