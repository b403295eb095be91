// Finds the line of a prompt's own text that lists show.
const MAX_CHARACTERS = 160
const ROLE_LINE = /^\{\{(?:role "\w+"|history)\}\}$/

/** Returns the first line that says something: neither a heading, a tag nor a role line; undefined if there is none. @param content the text, or its start */
export function findFirstLine(content: string): string | undefined {
  const lines = content.split('\n', 40).map((line) => line.trim())
  const line = lines.find(
    (text) => text !== '' && !/^(?:#|<\/?[\w-]+>$|-{3,}$|\uFEFF?$)/.test(text) && !ROLE_LINE.test(text),
  )
  return line?.slice(0, MAX_CHARACTERS).toWellFormed()
}
