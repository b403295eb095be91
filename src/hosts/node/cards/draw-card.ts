// Draws the preview images of prompts with sharp, which Astro brings along. The texts use a font of their own, so that a machine without fonts draws the same.
import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { LRUCache } from 'lru-cache'
import type sharpModule from 'sharp'
import { createTurns } from '../../../concurrency/turn-queue.ts'
import { HubError } from '../../../domain/api/errors.ts'
import { escapeXml } from '../../../domain/text/html-text.ts'
import type { Card } from '../../../site/prompt/card.ts'
import type { DrawCard } from '../../../site/rendering.ts'

type Sharp = typeof sharpModule

const [WIDTH, HEIGHT] = [1_200, 630]
const FONT = fileURLToPath(new URL('card-font.ttf', import.meta.url))
/** Maximum size of the pictures that are kept. */
const MAX_KEPT_BYTES = 8_000_000
const MAX_WAITING = 20
const MAX_WAIT_MS = 5_000

/** Opens what draws cards, one at a time, so that no request of a reader waits for more than one. @returns undefined where sharp is not installed */
export function openCards(): DrawCard | undefined {
  if (!isInstalled('sharp')) return undefined
  let loading: Promise<Sharp> | undefined
  const kept = new LRUCache<string, Uint8Array<ArrayBuffer>>({
    maxSize: MAX_KEPT_BYTES,
    sizeCalculation: ({ length }) => length,
  })
  const takeTurn = createTurns({
    running: { total: 1, perSender: 1 },
    waiting: { total: MAX_WAITING, perSender: MAX_WAITING },
    refuse: () => new HubError('unavailable', 'Too many preview images are being drawn. Try again in a few seconds.'),
  })
  return async (card) => {
    const digest = createHash('sha256').update(JSON.stringify(card)).digest('hex')
    const known = kept.get(digest)
    if (known) return known
    loading ??= loadSharp()
    const sharp = await loading
    // Somebody else may have waited for the same picture.
    const drawn = await takeTurn(
      { sender: 'cards', waitMs: MAX_WAIT_MS },
      async () => kept.get(digest) ?? drawCard(sharp, card),
    )
    kept.set(digest, drawn)
    return drawn
  }
}

function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name)
    return true
  } catch {
    return false
  }
}

/** Loaded for the first picture, because most hubs serve few. @throws HubError `unavailable` where its program for this machine is missing */
async function loadSharp(): Promise<Sharp> {
  const { default: sharp } = await import('sharp').catch(() => {
    throw new HubError('unavailable', 'This hub cannot draw preview images. Show the one of the hub, /card.png.')
  })
  sharp.concurrency(1)
  sharp.cache(false)
  return sharp
}

async function drawCard(sharp: Sharp, card: Card): Promise<Uint8Array<ArrayBuffer>> {
  const { hubName, owner, name, title, description, version } = card
  const span = (text: string, colour: string, weight = 400) =>
    `<span foreground="${colour}" weight="${weight}">${escapeXml(text)}</span>`
  const [dark, quiet] = ['#1b1e23', '#575d66']
  const heading = await drawText(sharp, span(title, dark, 700), 76, 590, 180)
  const belowTitle = 122 + heading.height + 30
  const texts = [
    { ...(await drawText(sharp, span(owner, dark, 700) + span(`/${name}`, quiet), 28, 620, 40)), top: 66 },
    { ...heading, top: 122, left: 72 },
    ...(description === ''
      ? []
      : [{ ...(await drawText(sharp, span(description, quiet), 29, 600, 470 - belowTitle)), top: belowTitle }]),
    ...(version === null ? [] : [{ ...(await drawText(sharp, span(version, dark, 700), 28, 200, 40)), top: 542 }]),
    { ...(await drawText(sharp, span('{{ }}', '#724500', 700), 26, 90, 40)), top: 542, left: 478 },
    { ...(await drawText(sharp, span(hubName, quiet), 26, 190, 40)), top: 542, left: 566 },
  ]
  const picture = await sharp(Buffer.from(drawShapes(card)))
    .composite(texts.map(({ input, top, left = 72 }: Placed) => ({ input, top, left })))
    .png({ palette: true, colours: 64 })
    .toBuffer()
  return new Uint8Array(picture)
}

/** Draws text of at most a width and a height; what does not fit is cut off below. @param markup Pango markup */
async function drawText(sharp: Sharp, markup: string, size: number, width: number, height: number) {
  const text = { text: markup, font: `Inter ${size}`, fontfile: FONT, width, rgba: true, wrap: 'word-char' } as const
  const { data, info } = await sharp({ text: { ...text, spacing: Math.round(size / 5) } })
    .png()
    .toBuffer({ resolveWithObject: true })
  if (info.height <= height) return { input: data, height: info.height }
  const cut = await sharp(data)
    .extract({ left: 0, top: 0, width: info.width, height: Math.max(height, 1) })
    .png()
    .toBuffer()
  return { input: cut, height }
}

interface Placed {
  input: Buffer
  top: number
  left?: number
}

const TICKS = { major: 36, minor: 24, patch: 14 }

/** Draws what is not text: the paper with the silhouette, the tape, and the mark of the hub. */
function drawShapes({ silhouette, ticks }: Card): string {
  const tape = ticks.map(({ part, isBreaking, isLabelled }, index) => {
    const x = 216 + index * 14
    const dot = isLabelled ? `<circle cx="${x}" cy="524" r="5" fill="#1d4fd7"/>` : ''
    return `${dot}<path d="M${x} 572v-${TICKS[part]}" stroke="${isBreaking ? '#a3241b' : '#7a8088'}" stroke-width="3"/>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}"><style>.face rect{fill:#fff;stroke:#e3e3dd;stroke-width:.3}.face path{fill:none;stroke:#c5c8cc;stroke-linecap:round;stroke-width:2.2}.face .h{stroke:#7a8088}.face .g{stroke:#e3e3dd}.face .v{stroke:#d9981c}</style><rect width="${WIDTH}" height="${HEIGHT}" fill="#f7f7f4"/><rect x="752" y="72" width="448" height="640" rx="36" fill="#1b1e23" opacity=".06"/><g class="face" transform="translate(744 56) scale(10.4)">${silhouette}</g><path d="M216 572.500h224" stroke="#e3e3dd"/>${tape.join('')}<rect x="464" y="532" width="92" height="42" rx="8" fill="#fdf0d3" stroke="#ebcf94"/></svg>`
}
