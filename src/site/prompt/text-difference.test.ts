// Tests which changed lines have their changed words marked: only those that are at least one-third unchanged,
// according to the diff library.
import { diffWordsWithSpace } from 'diff'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareTexts } from './text-difference.ts'

const word = fc.constantFrom('a', 'an', 'the', 'review', 'code', ',', '.', 'naïve', '漢字', '{{x}}', 'incomprehensible')
const line = fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => words.join(' '))

test('marks changed words exactly in lines of which at least a third stays the same', () => {
  const seen = new Set<boolean>()
  fc.assert(
    fc.property(line, line, (before, after) => {
      fc.pre(before !== after)
      const stays = diffWordsWithSpace(before, after).filter(({ added, removed }) => !added && !removed)
      const shared = stays.reduce((sum, { value }) => sum + value.trim().length, 0)
      const isMarked = shared * 3 >= Math.max(before.length, after.length)
      const went = compareTexts(before, after).filter(({ kind }) => kind === 'removed')
      const expected = isMarked
        ? diffWordsWithSpace(before, after).filter(({ added }) => !added)
        : [{ value: before, removed: false }]
      expect(went[0]!.pieces.map(({ text, isChanged }) => [text, isChanged])).toEqual(
        expected.map(({ value, removed }) => [value, removed]),
      )
      seen.add(isMarked)
    }),
    { numRuns: 200 },
  )
  expect(seen.size).toBe(2)
})

const P1 = 'Summarise what the texts say about {{topic}}. Write for a reader who has not seen them.'
const P2 = 'Begin with one sentence that answers the question. Name the texts in brackets.'
const wrap = (text: string, width: number) => text.replace(new RegExp(`(.{1,${width}})(?: |$)`, 'g'), '$1\n').trimEnd()

/** Draws rows as signs with words; a changed word is in brackets, and `~` is a line of which only the line breaks changed. */
const draw = (before: string, after: string) =>
  compareTexts(before, after).map(({ kind, isWrapped, pieces }) => {
    const sign = kind === 'same' ? ' ' : isWrapped ? '~' : kind === 'removed' ? '-' : '+'
    return (
      sign +
      pieces
        .map(({ text, isChanged }) => (isChanged ? `[${text}]` : text))
        .join('')
        .trimEnd()
    )
  })
const signsOf = (before: string, after: string) =>
  draw(before, after)
    .map((row) => row[0])
    .join('')

test.each([
  ['other line breaks alone', `${wrap(P1, 30)}\n\n${P2}\n`, `${P1}\n\n${wrap(P2, 40)}\n`, '~~~~ ~~~'],
  [
    'a paragraph before, and other line breaks',
    `${P1}\n\n${P2}\n`,
    `New\n\n${wrap(P1, 60)}\n\n${wrap(P2, 60)}\n`,
    '++~~~ ~~~',
  ],
  ['a paragraph less', `${P1}\n\nShort.\n\n${P2}\n`, `${wrap(P1, 60)}\n\n${wrap(P2, 60)}\n`, '~~~ --~~~'],
  ['a list item', `- ${wrap(P1, 60).replaceAll('\n', '\n  ')}\n- b\n`, `- ${P1}\n- b\n`, '~~~ '],
  [
    'code in a fence is compared by line',
    '```\na = 1 + 2 + 3\nb = 2\n```\n',
    '```\na = 1 + 2 + 3 b = 2\n```\n',
    ' --+ ',
  ],
  ['indentation counts', 'if it is so:\nthen do that\n', 'if it is so:\n  then do that\n', ' -+'],
  ['headings stand alone', '# Title of it\nand a text\n', '# Title of it and a text\n', '--+'],
])('%s', (_, before, after, signs) => {
  expect(signsOf(before, after)).toBe(signs)
})

test('marks the changed words of a paragraph with other line breaks, and keeps its bytes', () => {
  const after = wrap(P1.replace('reader', 'beginner'), 40)
  expect(draw(`${P1}\n`, `${after}\n`)).toEqual([
    '-Summarise what the texts say about {{topic}}. Write for a [reader] who has not seen them.',
    '~Summarise what the texts say about',
    '+{{topic}}. Write for a [beginner] who has',
    '~not seen them.',
  ])
  for (const [before, after] of [[`${P1}  \r\n\t${P2}\n`, `${wrap(P1, 20)}\n${P2} \n\n\n`]] as const) {
    const side = (other: string) =>
      compareTexts(before, after)
        .filter(({ kind }) => kind !== other)
        .flatMap(({ pieces }) => pieces.map(({ text }) => text))
        .join('')
    expect([side('added'), side('removed')]).toEqual([before, after])
  }
})
