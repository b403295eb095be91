// Reads the keys of a SKILL.md besides its name, description, license and compatibility: the tools that it asks for, its argument hint, and what a hub keeps as metadata.
import { splitTools } from '../../../src/domain/content/allowed-tools.ts'
import { OWN_SKILL_METADATA } from '../../../src/domain/content/skill.ts'
import { isObject } from '../../../src/domain/text/json.ts'
import { toLine } from './names.ts'

/** The keys with a field of their own in the record of a skill; `licence` is a spelling of `license`. */
const FIELDS = new Set([
  ...['name', 'description', 'license', 'licence', 'compatibility', 'metadata'],
  ...['allowed-tools', 'argument-hint'],
])
const HINT = 'argument-hint'

/** What a SKILL.md says in these keys. */
export interface MoreOfSkill {
  /** Undefined in the file of a hub, which leaves them out. */
  allowed_tools: string[] | undefined
  argument_hint: string
  /** Its `metadata`, and all keys that no specification has; without the hub's own keys. */
  metadata: Record<string, string>
}

/** Reads these keys. The values are lines, not yet checked. */
export function readMoreOfSkill(front: Readonly<Record<string, unknown>>): MoreOfSkill {
  const metadata = isObject(front.metadata) ? front.metadata : {}
  const isOurs = typeof metadata.content_sha256 === 'string'
  const tools = front['allowed-tools']
  const more = Object.entries({
    ...Object.fromEntries(Object.entries(front).filter(([key]) => !FIELDS.has(key))),
    ...metadata,
  }).filter(([key]) => !OWN_SKILL_METADATA.has(key) && key !== HINT)
  return {
    allowed_tools: isOurs && tools === undefined ? undefined : splitTools(hintOf(tools, ' ')),
    argument_hint: hintOf(front[HINT] ?? metadata[HINT]),
    metadata: Object.fromEntries(more.map(([key, value]) => [key, lineOfValue(value)])),
  }
}

/** Reads a hint or a list of tools as one line: `argument-hint: [file]` is a list in YAML, and `argument-hint: 1` a number. */
export function hintOf(given: unknown, separator?: string): string {
  if (Array.isArray(given))
    return lineOfValue(separator === undefined ? `[${given.join(', ')}]` : given.map(String).join(separator))
  return isObject(given) ? '' : lineOfValue(given)
}

function lineOfValue(value: unknown): string {
  const text = isObject(value) || Array.isArray(value) ? JSON.stringify(value) : String(value ?? '')
  return toLine(text, Number.POSITIVE_INFINITY)
}
