// Unifies spelling variants: British and American forms of a word become one form, for the index and for questions alike.

/**
 * Spellings that differ by a rule. A rule may also change a word that has no second form (`promise` → `promize`). That does no harm, because texts and
 * questions are changed alike.
 * Words come folded, at least five letters long.
 */
const RULES: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/^(\w{2,})is(e|es|ed|ing|er|ers|ation|ations|ational|able)$/, '$1iz$2'],
  [/^(\w+)lys(e|es|ed|ing|er|ers)$/, '$1lyz$2'],
  [/^(\w{3,})our(s|ed|ing|able|ite|ites|ful|fully|less|al|ally|er|ers|ist|ists|hood)?$/, '$1or$2'],
  [/^(\w{3,})tre(s|d)?$/, '$1ter$2'],
  [/^(\w{2,})logue(s|d)?$/, '$1log$2'],
  [/^(def|off|pret|lic)ence(s|d)?$/, '$1ense$2'],
  [/^practis(e|es|ed|ing)$/, 'practic$1'],
  [/^(\w*)programme(s)?$/, '$1program$2'],
  [/^(p)aed(\w+)$/, '$1ed$2'],
  [/^(encyclop|arch|orthop)ae(\w+)$/, '$1e$2'],
  [/^(an)aesth(\w+)$/, '$1esth$2'],
  [/^(\w{2,})oeuvr(e|es|ed|ing)$/, '$1euver$2'],
  [/^(judg|acknowledg|abridg)ement(s)?$/, '$1ment$2'],
  [/^(fulfil|enrol|instal|distil|instil|skil)l(s|ed|ing|er|ers|ful|fully|ment|ments|ation|ations)?$/, '$1$2'],
  [
    /^(\w*(?:travel|label|model|cancel|channel|counsel|signal|total|quarrel|level|fuel|dial|marvel|tunnel|panel|parcel|jewel|equal|rival|initial|shovel|duel|pedal|medal|spiral|trial|libel|revel|swivel|towel))l(ed|ing|er|ers|ation|ations)$/,
    '$1$2',
  ],
]

/** Spellings that follow no rule. */
const WORDS: ReadonlyMap<string, string> = new Map(
  `grey=gray greys=grays analysis=analyze analyses=analyze artefact=artifact artefacts=artifacts sceptic=skeptic
  sceptical=skeptical cheque=check cheques=checks ageing=aging mould=mold plough=plow cosy=cozy
  tyre=tire tyres=tires mum=mom whilst=while learnt=learned spelt=spelled`
    .split(/\s+/)
    .map((pair) => pair.split('=') as [string, string]),
)

/** One form for all spellings of a word. @param word folded */
export function unifySpelling(word: string): string {
  const known = WORDS.get(word)
  if (known !== undefined) return known
  if (word.length < 5) return word
  for (const [pattern, replacement] of RULES) {
    if (pattern.test(word)) return word.replace(pattern, replacement)
  }
  return word
}
