// Tests excerpts from files in public repositories that an importer must not misinterpret. See docs/notes/formats.md
// for the counts.
import { expect, test } from 'vitest'
import { detectFormat, READERS } from './formats.ts'

const front = '---\nname: notes\ndescription: Writes notes. Use it for notes.\n---\n'

test.each([
  ['a decorator in a code block', 'Write a test:\n\n```python\n@pytest.fixture\ndef one(): ...\n```\n'],
  ['a package name in an indented code block', '1. Install:\n\n   ```sh\n   npm i @scope/package\n   ```\n'],
  ['an exclamation mark in a code span', 'Fix `#REF!`: the cell is gone; `#DIV/0!`: a division by zero.\n'],
  ['an email address', 'Write to team@example.com.\n'],
])('reads %s as text', (_, body) => {
  for (const format of ['skill', 'claude-command'] as const) {
    const { prompts, findings } = READERS[format](front + body, 'notes')
    expect(findings.filter(({ kind }) => kind === 'refused')).toEqual([])
    expect(prompts[0]!.body).toEqual({ format: 'text', text: body })
  }
})

test.each([
  ['shell', 6, 'One.\n!`git status`\n'],
  ['shell', 5, '!`unclosed\n'],
  ['shell', 7, '\n\n```!\nrm -rf .\n```\n'],
  ['include', 5, 'Read @./secrets.txt first.\n'],
  ['include', 8, '```\ncode\n```\n@src/index.ts\n'],
])('rejects %s on line %d', (field, line, body) => {
  const { prompts, findings } = READERS.skill(front + body, 'notes')
  expect(prompts).toEqual([])
  expect(findings.find(({ kind }) => kind === 'refused')).toMatchObject({ field, line })
})

test.each([
  [
    'dotprompt',
    '# Copyright\n#\n\n---\nmodel: m\nx: 1\n---\nHi {{who}}\n',
    [
      ['comments', 1],
      ['x', 6],
    ],
  ],
  ['dotprompt', '\ufeff\r\n# Licence\r\n---\r\nmodel: m\r\n---\r\nHi {{who}}\r\n', [['comments', 1]]],
  ['prompty', '\n  \n---\nmodel: m\nx: 1\n---\nHi {{who}}\n', [['x', 5]]],
  ['prompty', '  ---\nmodel: m\n---\nHi {{who}}\n', []],
  ['prompty', '\ufeff\n+++\nmodel: m\n+++\nHi {{who}}\n', []],
] as const)('%s: reads front matter below comments and empty lines', (format, source, lost) => {
  const { prompts, findings } = READERS[format](source, 'hi')
  const [{ body, parameters } = {}] = prompts
  expect([body, parameters]).toEqual([
    { format: 'text', text: source.includes('\r') ? 'Hi {{who}}\r\n' : 'Hi {{who}}\n' },
    { model: 'm' },
  ])
  expect(findings.map(({ field, line }) => [field, line])).toEqual(lost)
})

test('Prompty: reads nunjucks templates as Jinja', () => {
  const read = (template: string) =>
    READERS.prompty(`---\nname: hi\ntemplate: ${template}\n---\nHello {{name}}.\n`, 'hi')
  expect(read('nunjucks').prompts[0]!.variables.map(({ name }) => name)).toEqual(['name'])
  expect(read('liquid').findings[0]).toMatchObject({ kind: 'refused', field: 'template', line: 3 })
})

test('LangChain: reads a load_prompt file and a LangSmith response', () => {
  const template = { template: 'Do {task}.\n', template_format: 'f-string', input_variables: ['task'] }
  const manifest = {
    lc: 1,
    type: 'constructor',
    id: ['langchain', 'prompts', 'prompt', 'PromptTemplate'],
    kwargs: { ...template, partial_variables: { task: 'it' } },
  }
  for (const [given, lost] of [
    [{ ...template, output_parser: null }, []],
    [{ commit_hash: '8c11', manifest, examples: [] }, ['partial_variables']],
  ] as const) {
    const source = JSON.stringify(given)
    expect(detectFormat('prompt.json', source)).toBe('langchain')
    const { prompts, findings } = READERS.langchain(source, 'prompt')
    expect(prompts[0]?.body).toEqual({ format: 'text', text: 'Do {{task}}.\n' })
    expect(findings.map(({ kind, field }) => [kind, field])).toEqual(lost.map((field) => ['lost', field]))
  }
  // A few-shot prompt and a chain are rejected, and the file named in `template_path` is not read.
  const chain = JSON.stringify({
    _type: 'few_shot',
    prefix: 'Do',
    example_prompt: template,
    template_path: '/etc/passwd',
  })
  expect(READERS.langchain(chain, 'chain').findings).toMatchObject([{ kind: 'refused', field: 'manifest' }])
})

test('rejects Jinja before the YAML of a GitHub Models file, with its line', () => {
  const source = "{% import 'macros.j2' as macros %}\nname: Notes\nmessages:\n  - role: user\n    content: Hello\n"
  expect(READERS.github(source, 'notes')).toMatchObject({ prompts: [], findings: [{ kind: 'refused', line: 1 }] })
})

const asked = { lc: 1, type: 'constructor', id: ['langchain', 'prompts', 'prompt', 'PromptTemplate'] }
const bound = { kwargs: { model: 5, temperature: { at: 1 } } }
test.each([
  ['github', { messages: [] }, 'messages'],
  ['langfuse', { name: 'a', prompt: [] }, 'prompt'],
  ['mlflow', { name: 'a', template: [] }, 'template'],
  ['openai', { id: 'pmpt_1', object: 'prompt', instructions: [] }, 'instructions'],
  ['portkey', { name: 'a', slug: 'a', string: '' }, 'string'],
] as const)('%s: names the calls of a tool in a message, which are lost', (format, given, key) => {
  const said = { content: 'Yes.', name: '', tool_calls: [{ id: 'x', type: 'function' }] }
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', ...said },
  ]
  const list = key === 'string' ? JSON.stringify(messages) : messages
  const { prompts, findings } = READERS[format](JSON.stringify({ ...given, [key]: list }), 'a')
  expect(prompts[0]?.body).toMatchObject({ messages: [{ content: 'Hi' }, { content: 'Yes.' }] })
  expect(findings.map(({ kind, field }) => [kind, field])).toEqual([['lost', 'messages.tool_calls']])
})

const chat = (messages: Record<string, object>) => ({
  ...asked,
  id: ['langchain', 'prompts', 'chat', 'ChatPromptTemplate'],
  kwargs: {
    messages: Object.entries(messages).map(([name, kwargs]) => ({
      ...asked,
      id: ['langchain', 'prompts', name],
      kwargs,
    })),
  },
})
test('a decorator in a command is no file', () => {
  const text = 'Find each @app.route("/x") and @pytest.fixture, but not @app.get; mail a@b.md or @team.com.\n'
  expect(READERS['claude-command'](text, 'c')).toMatchObject({ prompts: [{ body: { text } }], findings: [] })
  for (const path of ['src/a.ts', 'README.md', 'notes.TXT', 'a.b/c', '.env', '~/x', 'docs/deep/x', 'x.config.json'])
    expect(READERS['claude-command'](`See @${path}, now.`, 'c').findings).toMatchObject([{ field: 'include' }])
})

test.each([
  [
    'the name of a schema that a program registers',
    'dotprompt',
    '---\ninput:\n  schema: Order\n---\nHi {{who}}\n',
    ['input.schema'],
  ],
  ['settings that are text', 'dotprompt', '---\nconfig: hot\nmodel: [a]\n---\nHi\n', ['config', 'model']],
  [
    'the rules of a JSON Schema',
    'dotprompt',
    '---\ninput:\n  schema:\n    type: object\n    properties:\n      who: { type: string, maxLength: 9 }\n---\nHi {{who}}\n',
    ['input.schema.who.maxLength'],
  ],
  ['inputs in another file', 'prompty', `---\ninputs: \${file:inputs.json}\n---\nHi {{who}}\n`, ['inputs']],
  ['inputs without a name', 'prompty', '---\ninputs: [who]\n---\nHi {{who}}\n', ['inputs.0']],
  ['what a role line says about its message', 'prompty', 'user[name="Ada"]:\nHi\n', ['user[name="Ada"]:']],
  [
    'what a thread says about itself',
    'prompty',
    '---\ninputs: [{ name: talk, kind: thread, strict: true }]\n---\nuser:\nHi {{talk}}\n',
    ['inputs.talk.strict'],
  ],
  ['a title that is a number', 'github', 'name: 404\nmessages: [{ role: user, content: Hi }]\n', ['name']],
  [
    'parameters that are a list',
    'github',
    'modelParameters: [1]\nmessages: [{ role: user, content: Hi }]\n',
    ['modelParameters'],
  ],
  [
    'tags that are keys',
    'langfuse',
    '{"name":"a","prompt":"Hi","tags":{"team":"a"},"config":"hot"}',
    ['config', 'tags'],
  ],
  [
    'settings of a model that are no settings',
    'langchain',
    JSON.stringify({
      lc: 1,
      type: 'constructor',
      id: ['langchain', 'schema', 'runnable', 'RunnableSequence'],
      kwargs: { first: { ...asked, kwargs: { template: 'Hi' } }, last: { kwargs: { bound } } },
    }),
    ['last.model', 'last.temperature'],
  ],
  [
    'the class of a model, what is no tool of it, and what runs between the prompt and it',
    'langchain',
    JSON.stringify({
      lc: 1,
      type: 'constructor',
      id: ['langchain', 'schema', 'runnable', 'RunnableSequence'],
      kwargs: {
        first: { ...asked, kwargs: { template: 'Hi', tags: ['a'], metadata: { team: 'b' } } },
        middle: [{ lc: 1 }],
        last: {
          kwargs: { bound: { id: ['langchain', 'ChatOpenAI'], kwargs: { model: 'm' } }, kwargs: { tools: [1] } },
        },
      },
    }),
    ['last.id', 'last.tools', 'metadata', 'middle', 'tags'],
  ],
  [
    'the name of a person and the calls of tools in a message',
    'langchain',
    JSON.stringify(chat({ AIMessage: { content: 'Hi', name: 'Ada', tool_calls: [{ name: 'x' }], example: false } })),
    ['name', 'tool_calls'],
  ],
  ['a message of a tool', 'prompty', 'developer:\nHi\ntool:\n5\n', ['tool:']],
  [
    'values of a message that are set beforehand, and the number of earlier messages',
    'langchain',
    JSON.stringify(
      chat({
        HumanMessagePromptTemplate: {
          prompt: { ...asked, kwargs: { template: '{q}', partial_variables: { q: 'Hi' } } },
        },
        MessagesPlaceholder: { variable_name: 'history', n_messages: 5 },
      }),
    ),
    ['n_messages', 'partial_variables'],
  ],
  [
    'a hint of a command without arguments',
    'claude-command',
    '---\nargument-hint: "[--force]"\n---\nHi\n',
    ['argument-hint'],
  ],
  ['a description that is a list', 'markdown', '---\ndescription: [a]\n---\nHi\n', ['description']],
] as const)('names %s as lost', (_, format, source, lost) => {
  const { prompts, findings } = READERS[format](source, 'given')
  expect(prompts).toHaveLength(1)
  expect(findings.map(({ kind, field }) => [kind, field]).toSorted()).toEqual(lost.map((field) => ['lost', field]))
})
