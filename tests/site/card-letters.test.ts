// Tests which letters of a title a social card shows.
import { expect, test } from 'vitest'
import { toWritable } from '../../packages/card/letters.ts'

test.each([
  ['English', 'Code review', 'Code review'],
  ['Czech', 'Příliš žluťoučký kůň', 'Příliš žluťoučký kůň'],
  ['Polish', 'Zażółć gęślą jaźń', 'Zażółć gęślą jaźń'],
  ['Turkish', 'İstanbul ığdır', 'İstanbul ığdır'],
  ['Greek', 'Έλεγχος κώδικα', 'Έλεγχος κώδικα'],
  ['Russian', 'Проверка кода', 'Проверка кода'],
  ['decomposed accents', 'Pr\u030Ci\u0301lis\u030C', 'Příliš'],
  [
    'Vietnamese letters lose accents that are not available',
    'Đánh giá mã nguồn tiếng Việt',
    'Đánh giá mã nguon tieng Viet',
  ],
  ['an emoji is left out', 'Review 🚀 code', 'Review  code'],
  ['one word in another script is left out', 'Translate a long text into 日本語', 'Translate a long text into'],
  ['Japanese', '日本語の要約', undefined],
  ['only an emoji', '🚀', undefined],
])('%s', (_, title, written) => expect(toWritable(title, 'title')).toBe(written))
