// Finds the keys of front matter without parsing it, so that they are known even if it is not valid YAML. The browser runs it too.

/** As far as front matter is looked at; its reader refuses a longer one. */
export const MAX_FRONT_CHARACTERS = 65_536
/** Keys at the start of a line; a nested key is indented. */
const TOP_KEY = /^["']?([A-Za-z_][\w-]{0,60})["']?[ \t]*:/gm

/** Front matter by its keys alone, and what follows it. */
interface FrontKeys {
  keys: string[]
  body: string
}

/** @returns undefined for a text without front matter */
export function findFrontKeys(text: string): FrontKeys | undefined {
  if (!/^\ufeff?---[ \t]*\r?\n/.test(text)) return undefined
  const end = text.slice(0, MAX_FRONT_CHARACTERS).indexOf('\n---', 3)
  return end === -1 ? undefined : { keys: listKeys(text.slice(3, end)), body: text.slice(end + 4) }
}

/** Lists the keys at the start of the lines of a text. */
export function listKeys(text: string): string[] {
  return Array.from(text.matchAll(TOP_KEY), ([, key = '']) => key)
}
