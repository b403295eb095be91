// Provides the hub's look (`content/site.yml`), which is built into the page bundle, and the files generated from it.
import { createHash } from 'node:crypto'
import { accentColours, DEFAULT_LOOK, type HubLook } from '../domain/content/look.ts'

export const LOOK: HubLook = import.meta.env?.HUB_LOOK ?? DEFAULT_LOOK

interface LookFile {
  address: string
  bytes: Buffer<ArrayBuffer>
  mediaType: string
}

/** Files under `/assets/` are cached forever, so their names contain a hash of their bytes. */
function nameFile(base: string, ending: string, bytes: Buffer<ArrayBuffer>, mediaType: string): LookFile {
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 12)
  return { address: `/assets/hub/${base}-${digest}.${ending}`, bytes, mediaType }
}

function styleOf(accent: string): string {
  const { light, dark } = accentColours(accent)
  return `:root {
  --accent: light-dark(${light}, ${dark});
  --accent-strong: color-mix(in oklab, var(--accent) 80%, var(--text));
  --accent-soft: color-mix(in oklab, var(--accent) 10%, var(--surface));
}
`
}

const LOGO_TYPES = { svg: 'image/svg+xml', png: 'image/png' } as const

/** The style sheet with the accent colour; undefined if no accent colour is set. */
export const STYLE = LOOK.accent
  ? nameFile('look', 'css', Buffer.from(styleOf(LOOK.accent)), 'text/css; charset=utf-8')
  : undefined

/** The logo; undefined if no logo is set. */
export const LOGO = LOOK.logo
  ? nameFile(
      'logo',
      LOOK.logo.name.slice(-3),
      Buffer.from(LOOK.logo.data, 'base64'),
      LOGO_TYPES[LOOK.logo.name.slice(-3) as 'svg' | 'png'],
    )
  : undefined
