// Splits `allowed-tools` of a SKILL.md, the tools that a skill asks to use without a question. https://agentskills.io/specification

/**
 * Splits a text at spaces and commas outside of brackets, as in `Bash(git add:*), Read`.
 *
 * @returns each tool once, in order
 */
export function splitTools(text: string): string[] {
  const tools = new Set<string>()
  let depth = 0
  let start = 0
  for (let at = 0; at <= text.length; at++) {
    const character = text[at] ?? ''
    if (character === '(') depth++
    if (character === ')' && depth > 0) depth--
    // A bracket that nothing closes ends with the text.
    if (at < text.length && (depth > 0 || !/[\s,]/.test(character))) continue
    const tool = text.slice(start, at).trim()
    if (tool !== '') tools.add(tool)
    start = at + 1
  }
  return [...tools]
}
