// Tests the search for text that was probably meant as a placeholder.
import { expect, test } from 'vitest'
import { findNearPlaceholders } from './placeholders.ts'

//  text                                     what was meant
test.each<[string, string | undefined]>([
  ['{{  name  }}', 'name'],
  ['{{name }}', 'name'],
  ['{{ name}}', 'name'],
  ['{{\tname\t}}', 'name'],
  ['{{\nname\n}}', 'name'],
  ['{{ user-name }}', 'user_name'],
  ['{{user.name}}', 'user_name'],
  ['{{ user name }}', 'user_name'],
  ['{{名前}}', undefined],
  ['{{größe}}', undefined],
  ['{{name|upper}}', 'name'],
  ['{{\u00a0name\u00a0}}', 'name'],
  ['{{name:default}}', 'name'],
  ['{{1st}}', undefined],
  ['{{#if name}}', 'name'],
  ['{{/if}}', undefined],
  ['{{name', 'name'],
  ['｛｛name｝｝', 'name'],
  ['{name}', 'name'],
  [`$\{name}`, 'name'],
  [`$\{name:default}`, 'name'],
  [`$\{other:a default}`, 'other'],
])('%j', (text, meant) => {
  const before = 'One\n'
  expect(findNearPlaceholders(`${before}${text} two`, ['name'])).toEqual([{ text, offset: before.length, meant }])
})

test.each([
  ['placeholders', '{{name}} {{ name }}'],
  ['a placeholder in a third pair of braces', '{{{name}}}'],
  ['the roles of a chat prompt', '{{role "user"}}\n{{history}}'],
  ['code that names no variable', `echo "$\{HOME}" {print} f(x) { return {a} } $\{HOME:-x} $\{x:0:3}`],
  ['JSON', '{"name": {"a": {}}}'],
  ['text without braces', 'name'],
])('leaves %s alone', (_, text) => {
  expect(findNearPlaceholders(text, ['name'])).toEqual([])
})
