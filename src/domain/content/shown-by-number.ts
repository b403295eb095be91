// Owns which characters a page shows by their number, one by one, because they have no form of their own. Which of them are worth a warning, where they stand, is judged by hidden-characters.ts.

/**
 * Characters without a form of their own: controls but tab and line ends, soft hyphen, joiners and spaces of no width, marks of direction,
 * tags, variation selectors' cousins and fillers. A zero-width joiner inside an emoji is shown too: better once too often.
 *
 * @see https://trojansource.codes and Unicode TR36
 */
const UNSEEN =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: the class is of single characters; that some combine with others is why they stand here.
  /[\u{0}-\u{8}\u{B}\u{C}\u{E}-\u{1F}\u{7F}-\u{9F}\u{AD}\u{34F}\u{61C}\u{115F}\u{1160}\u{17B4}\u{17B5}\u{180B}-\u{180F}\u{200B}-\u{200F}\u{2028}-\u{202E}\u{2060}-\u{206F}\u{3164}\u{FEFF}\u{FFA0}\u{FFF9}-\u{FFFB}\u{E0000}-\u{E007F}\u{E0100}-\u{E01EF}]/gu

/** How many characters of a text do not show themselves. */
export function countUnseen(text: string): number {
  return text.match(UNSEEN)?.length ?? 0
}

/** Divides a text at them. @returns the parts in their order; one that cannot be seen has its number, such as U+200B */
export function splitUnseen(text: string): { text: string; code?: string }[] {
  const parts: { text: string; code?: string }[] = []
  let end = 0
  for (const { 0: character, index } of text.matchAll(UNSEEN)) {
    if (index > end) parts.push({ text: text.slice(end, index) })
    parts.push({ text: character, code: sayCode(character) })
    end = index + character.length
  }
  return end < text.length ? [...parts, { text: text.slice(end) }] : parts
}

function sayCode(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`
}
