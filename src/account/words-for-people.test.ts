// Checks what pages say instead of the API's errors and warnings.
import { expect, test } from 'vitest'
import { RepositoryPatch } from '../domain/managing/request.ts'
import { PublishRequest } from '../domain/publishing/request.ts'
import { sayError, sayProblem, sayWarning } from './words-for-people.ts'

const VARIABLES = ['language', 'depth']

//  field                       message                                sentence
test.each([
  ['variables.1.options', 'expected at least one option', 'Variable depth, options: expected at least one option.'],
  ['variables.0', 'expected {{language}} in the content', 'Variable language: expected {{language}} in the content.'],
  ['variables', 'expected at most 64', 'Variables: expected at most 64.'],
  ['variables.7.type', 'expected another', 'Variables: expected another.'],
  ['content', 'line 2: expected a role line', 'Prompt: line 2: expected a role line.'],
  ['skill.description', 'expected some text', 'Agent Skill: expected some text.'],
  ['tags.0', 'expected words', 'Tags: expected words.'],
  ['parameters.model', 'expected a string', 'Parameters, model: expected a string.'],
  ['changelog', 'expected at most 500 characters.', 'What changed: expected at most 500 characters.'],
  ['', 'and 3 more', 'and 3 more.'],
] as const)('the problem %s: %s', (key, message, sentence) =>
  expect(sayProblem({ key, message }, VARIABLES)).toBe(sentence),
)

test.each([
  ['title: add a title of a few words', null, 'Title: add a title of a few words.'],
  ['variables: add a description for depth', null, 'Variables: add a description for depth.'],
  ['variables.1: expected {{depth}} in the content', null, 'Variable depth: expected {{depth}} in the content.'],
  ['content: expected a declaration', 2, 'Prompt: line 2: expected a declaration.'],
  ['breaking change since 1.0.0, published as patch', null, 'Breaking change since 1.0.0, published as patch.'],
])('the warning %s', (message, line, sentence) => expect(sayWarning({ message, line }, VARIABLES)).toBe(sentence))

test('a new prompt whose name is taken is told so, with a link', () => {
  const error = { code: 'version_conflict', message: 'acme/greet: expected_version was null' } as const
  expect(sayError(error, { fullName: 'acme/greet', isNew: true })).toEqual({
    sentences: ['acme/greet already exists. Choose another name, or publish your text as its next version.'],
    link: { href: '/acme/greet/edit', text: 'Edit acme/greet' },
  })
  expect(sayError(error, { fullName: 'acme/greet' })).toEqual({
    sentences: ['acme/greet has changed since you opened this page. Compare, then try again.'],
  })
})

test('several problems are several sentences, and paths of the API are left out', () => {
  const problems = [
    { key: 'title', message: 'expected some text' },
    { key: 'variables.1.options', message: 'expected at least one option' },
  ]
  expect(
    sayError({ code: 'validation_failed', message: 'x', problems }, { fullName: 'a/b', variables: VARIABLES })
      .sentences,
  ).toEqual(['Title: expected some text.', 'Variable depth, options: expected at least one option.'])
  const message = 'acme/greet has no version 9.9.9. Its versions are listed at /api/v1/repos/acme/greet/versions.'
  expect(sayError({ code: 'not_found', message }, { fullName: 'acme/greet' }).sentences).toEqual([
    'acme/greet has no version 9.9.9.',
  ])
})

test('every field that a form can send has a label', () => {
  // The forms send no messages, and the other fields are set by the pages themselves.
  const forPrograms = ['messages', 'expected_version', 'dry_run', 'min_age_days']
  const fields = [...Object.keys(PublishRequest.shape), ...Object.keys(RepositoryPatch.shape)]
  expect(fields.length).toBeGreaterThan(15)
  expect(
    fields.filter((key) => !forPrograms.includes(key) && sayProblem({ key, message: 'x' }).startsWith(key)),
  ).toEqual([])
})
