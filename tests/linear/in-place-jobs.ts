// The jobs that run in place, with arguments made of a text.
import { EXPORT_FORMATS, type ExportFormat } from '../../src/domain/api/export-formats.ts'
import type { TextJobs } from '../../src/ports/text-work.ts'
import { made } from './makers.ts'

const NO_TEXT = made.repositoryOf('a', 'text')
const { variables } = made.recordOf('a', 'text')

/** The arguments of each job for a text. */
export const IN_PLACE_JOBS: Readonly<
  Partial<{ [Name in keyof TextJobs]: (text: string) => Parameters<TextJobs[Name]>[] }>
> = {
  exportVersion: (text) =>
    (Object.keys(EXPORT_FORMATS) as ExportFormat[]).map((format) => [
      format,
      NO_TEXT,
      { ...made.recordOf('a', 'text'), content: text },
    ]),
  renderMarkdown: (text) => [[text, { title: text.slice(0, 100) }]],
  renderTexts: (text) => [[[text], variables]],
  judgeForm: (text) => [
    [{ content: text, format: 'text' }],
    [{ content: text, format: 'chat' }],
    [{ content: '{{a}}', name: text, title: text, tags: text, license: text, readme: text, parameters: text }],
    [{ content: '{{a}}', 'variable.a.type': 'enum', 'variable.a.options': text, 'variable.a.default': text }],
  ],
  fillPrompt: (text) => [[{ content: text, messages: null, variables }, { a: 'x'.repeat(1_000) }]],
  findPlaceholders: (text) => [[text]],
  fillMessages: (text) => [
    [
      { messages: [{ role: 'user', content: text }], variables },
      { a: 'x', b: text },
    ],
  ],
  parsePublish: (text) => [
    [text],
    [JSON.stringify({ content: text, changelog: '', variables: [{ name: 'a' }] })],
    [JSON.stringify({ content: 'a', parameters: { a: text } })],
  ],
  parseChange: (text) => [
    [{ kind: 'patch' }, text],
    [{ kind: 'patch' }, JSON.stringify({ readme: text })],
  ],
  parseOwnerChange: (text) => [[text], [JSON.stringify({ bio: text })], [JSON.stringify({ members: text.split(' ') })]],
  recordVersion: (text) => [[made.versionOf(text, 'chat'), null, { owner: 'acme', name: 'a' }, 'https://hub.test']],
}
