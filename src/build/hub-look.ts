// Prepares a hub's look (`content/site.yml`) for its pages: what they show of it, and the files that they refer to.
import { createHash } from 'node:crypto'
import type { Bytes } from '../built/site-files.ts'
import type { HubLook } from '../domain/content/look.ts'
import type { ShownLook } from '../site/rendering.ts'
import { accentColours } from './accent-colours.ts'

/** A look, ready to be served. */
export interface ServedLook {
  shown: ShownLook
  /** The logo and the style sheet, by path. */
  files: ReadonlyMap<string, Bytes>
}

/** Prepares a look. */
export function serveLook({ accent, logo, ...shown }: HubLook): ServedLook {
  const files = new Map<string, Bytes>()
  const add = (name: string, bytes: Bytes) => {
    const path = namePath(name, bytes)
    files.set(path, bytes)
    return path
  }
  const logoPath = logo && add(logo.name, Buffer.from(logo.data, 'base64'))
  const stylePath = accent && add('look.css', Buffer.from(styleOf(accent)))
  return { shown: { ...shown, logoPath, stylePath }, files }
}

/** Files under `/assets/` are cached forever, so their names contain a hash of their bytes. */
function namePath(name: string, bytes: Bytes): string {
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 12)
  return `/assets/hub/${name.replace('.', `-${digest}.`)}`
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
