// Tests how settings, tools and output schemas of other tools become parameters: in one spelling, both ways.
import { Dotprompt, picoschema } from 'dotprompt'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ImportFormat, READERS, WRITERS } from './formats.ts'
import { toJsonSchema } from './picoschema.ts'
import type { ExportedVersion } from './portable.ts'

const SCHEMA = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const FUNCTION = { name: 'get_weather', description: 'Weather of a city', parameters: SCHEMA }
/** As Chat Completions has them. */
const TOOLS = [{ type: 'function', function: FUNCTION }]
const FORMAT = { type: 'json_schema', json_schema: { name: 'answer', schema: SCHEMA } }

const read = (format: ImportFormat, source: unknown) => {
  const { prompts, findings } = READERS[format](typeof source === 'string' ? source : JSON.stringify(source), 'p')
  return { prompt: prompts[0], parameters: prompts[0]?.parameters, said: findings.map(({ field }) => field) }
}
const promptLayer = (template: object, parameters: object = {}) => ({
  prompt_name: 'p',
  prompt_template: { type: 'chat', messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }], ...template },
  metadata: { model: { name: 'm', parameters } },
})
const manifest = (id: string[], kwargs: object) => ({ lc: 1, type: 'constructor', id, kwargs })
const HUMAN = manifest(['langchain_core', 'prompts', 'chat', 'HumanMessagePromptTemplate'], {
  prompt: manifest(['langchain_core', 'prompts', 'prompt', 'PromptTemplate'], { template: 'Hi' }),
})
const structured = (kwargs: object) =>
  manifest(['langchain_core', 'prompts', 'structured', 'StructuredPrompt'], { messages: [HUMAN], ...kwargs })
const chat = manifest(['langchain_core', 'prompts', 'chat', 'ChatPromptTemplate'], { messages: [HUMAN] })
const bound = (kwargs: object, settings: object = {}) =>
  manifest(['langchain', 'schema', 'runnable', 'RunnableSequence'], {
    first: chat,
    last: manifest(['langchain', 'schema', 'runnable', 'RunnableBinding'], {
      bound: manifest(['langchain', 'chat_models', 'openai', 'ChatOpenAI'], { model: 'm', ...settings }),
      kwargs,
    }),
  })

//  what                                    format          source                                                    parameters
const KEPT: readonly (readonly [string, ImportFormat, unknown, object])[] = [
  [
    'tools and output schema of a response, which are flat',
    'openai',
    {
      object: 'response',
      instructions: 'Hi',
      max_output_tokens: 9,
      tools: [{ type: 'function', ...FUNCTION }, { type: 'web_search' }],
      tool_choice: { type: 'function', name: 'get_weather' },
      text: { format: { type: 'json_schema', name: 'answer', schema: SCHEMA }, verbosity: 'low' },
      frequency_penalty: 0.5,
      presence_penalty: 0,
    },
    {
      max_tokens: 9,
      tools: [...TOOLS, { type: 'web_search' }],
      tool_choice: { type: 'function', function: { name: 'get_weather' } },
      response_format: FORMAT,
      verbosity: 'low',
      frequency_penalty: 0.5,
    },
  ],
  [
    'tools of a template',
    'promptlayer',
    promptLayer({ tools: TOOLS, tool_choice: 'auto' }, { max_completion_tokens: 9, response_format: FORMAT }),
    { model: 'm', max_tokens: 9, tools: TOOLS, tool_choice: 'auto', response_format: FORMAT },
  ],
  [
    'older functions of a template',
    'promptlayer',
    promptLayer({ functions: [FUNCTION], function_call: { name: 'get_weather' } }),
    { model: 'm', tools: TOOLS, tool_choice: { type: 'function', function: { name: 'get_weather' } } },
  ],
  [
    'settings of Responses in a template',
    'promptlayer',
    promptLayer({}, { max_output_tokens: 9, text: { format: { type: 'json_object' } } }),
    { model: 'm', max_tokens: 9, response_format: { type: 'json_object' } },
  ],
  [
    'tools and functions',
    'portkey',
    { slug: 'pp-p', string: 'Hi', parameters: { max_completion_tokens: 9 }, tools: TOOLS, response_format: FORMAT },
    { max_tokens: 9, tools: TOOLS, response_format: FORMAT },
  ],
  [
    'a structured prompt',
    'langchain',
    structured({ schema_: { title: 'answer', ...SCHEMA }, structured_output_kwargs: { strict: true } }),
    {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'answer', strict: true, schema: { title: 'answer', ...SCHEMA } },
      },
    },
  ],
  [
    'a structured prompt of the JavaScript package',
    'langchain',
    structured({ schema: SCHEMA }),
    { response_format: { type: 'json_schema', json_schema: { name: 'output', schema: SCHEMA } } },
  ],
  [
    'tools that are bound to a model',
    'langchain',
    bound({ tools: TOOLS, tool_choice: 'auto' }, { max_completion_tokens: 9 }),
    { model: 'm', max_tokens: 9, tools: TOOLS, tool_choice: 'auto' },
  ],
  [
    'model_config and response_format',
    'mlflow',
    {
      name: 'p',
      template: 'Hi',
      response_format: SCHEMA,
      model_config: { model_name: 'm', max_tokens: 9, stop_sequences: ['x'], extra_params: { seed: 1 } },
    },
    {
      model: 'm',
      max_tokens: 9,
      stop: ['x'],
      seed: 1,
      response_format: { type: 'json_schema', json_schema: { name: 'output', schema: SCHEMA } },
    },
  ],
  [
    'tools and an output schema',
    'dotprompt',
    `---\nconfig: {maxOutputTokens: 9}\ntools: [search]\ntoolDefs:\n  - name: get_weather\n    description: Weather of a city\n    inputSchema: ${JSON.stringify(SCHEMA)}\noutput: {format: json, schema: {city: string}}\n---\nHi`,
    {
      max_tokens: 9,
      tools: ['search', ...TOOLS],
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'output', schema: { ...SCHEMA, additionalProperties: false } },
      },
    },
  ],
  [
    'both spellings of the most tokens',
    'prompty',
    '---\nmodel: {id: m, options: {maxOutputTokens: 9, topP: 0.5}}\n---\nHi',
    { model: 'm', max_tokens: 9, top_p: 0.5 },
  ],
  [
    'the older spelling',
    'prompty',
    '---\nmodel: {id: m, options: {max_tokens: 9, top_p: 0.5}}\n---\nHi',
    { model: 'm', max_tokens: 9, top_p: 0.5 },
  ],
]

describe('reading', () => {
  test.each(KEPT)('keeps %s (%s)', (_, format, source, parameters) => {
    const { parameters: kept, said } = read(format, source)
    expect(kept).toEqual(parameters)
    expect(said.filter((field) => !field.startsWith('last.id'))).toEqual([])
  })

  test('names a second spelling of a setting, and a connection of a tool', () => {
    expect(
      read('portkey', { string: 'Hi', parameters: { max_tokens: 1, max_output_tokens: 2, stop: 'x' } }),
    ).toMatchObject({ parameters: { max_tokens: 1, stop: 'x' }, said: ['parameters.max_output_tokens'] })
    const mcp = { type: 'mcp', server_label: 'x', authorization: 'Bearer abc', headers: { a: 'b' } }
    expect(read('openai', { object: 'response', instructions: 'Hi', tools: [mcp] })).toMatchObject({
      parameters: { tools: [{ type: 'mcp', server_label: 'x' }] },
      said: ['tools.authorization', 'tools.headers'],
    })
    expect(JSON.stringify(read('openai', { object: 'response', instructions: 'Hi', tools: [mcp] }))).not.toContain(
      'abc',
    )
  })

  test('names what is too large or too deep for parameters, and keeps the prompt', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`)
    for (const parameters of [{ note: 'x'.repeat(70_000) }, deep]) {
      const tools = [{ type: 'function', function: { name: 'f', parameters } }]
      expect(read('promptlayer', promptLayer({ tools }, { temperature: 0 }))).toMatchObject({
        prompt: { parameters: { model: 'm', temperature: 0 } },
        said: ['prompt_template.tools'],
      })
    }
  })

  test('dotprompt: names a schema and a format that only a program knows', () => {
    const { parameters, said } = read(
      'dotprompt',
      '---\noutput: {format: jsonl, schema: Recipe}\ntools: [{a: 1}]\n---\nHi',
    )
    expect(parameters).toEqual({})
    expect(said).toEqual(['tools', 'output.schema', 'output.format'])
  })

  test('the placeholder of PromptLayer is the history, once', () => {
    const messages = [
      { role: 'system', content: [{ type: 'text', text: 'Help.' }] },
      { role: 'placeholder', name: 'fill_in_message' },
      { role: 'user', content: [{ type: 'text', text: '{q}' }] },
    ]
    expect(read('promptlayer', promptLayer({ messages })).prompt?.body).toEqual({
      format: 'chat',
      messages: [{ role: 'system', content: 'Help.' }, { type: 'history' }, { role: 'user', content: '{{q}}' }],
    })
    const twice = promptLayer({ messages: [...messages, messages[1]] })
    expect(READERS.promptlayer(JSON.stringify(twice), 'p')).toMatchObject({
      prompts: [],
      findings: [{ message: 'Prompt Hub supports earlier messages in only one place' }],
    })
  })

  test('Picoschema becomes the JSON Schema of the official package', async () => {
    const name = fc.stringMatching(/^[a-z][a-z_]{0,8}$/)
    const scalar = fc.constantFrom(
      'string',
      'integer',
      'number, how many',
      'boolean',
      'any',
      'any, of all kinds',
      'null',
    )
    const { schema } = fc.letrec((tie) => ({
      schema: fc
        .dictionary(
          fc.tuple(name, fc.constantFrom('', '?')).map((parts) => parts.join('')),
          fc.oneof(
            { weight: 4, arbitrary: scalar.map((value) => ['', value] as const) },
            fc.tuple(fc.constantFrom('(array)', '(array, all of them)'), fc.oneof(scalar, tie('schema'))),
            fc.tuple(fc.constantFrom('(object)', '(object, one)'), tie('schema')),
            fc.tuple(fc.constantFrom('(enum)', '(enum, which)'), fc.array(name, { minLength: 1, maxLength: 3 })),
          ),
          { maxKeys: 4 },
        )
        .map((given) =>
          Object.fromEntries(Object.entries(given).map(([key, [kind, value]]) => [key + kind, value] as const)),
        ),
    }))
    await fc.assert(
      fc.asyncProperty(schema, fc.boolean(), async (given, isWild) => {
        const whole = isWild ? { ...(given as object), '(*)': 'string, others' } : given
        const copy = structuredClone(whole)
        expect(toJsonSchema(copy)).toEqual(JSON.parse(JSON.stringify(await picoschema(whole))))
      }),
      { numRuns: 80 },
    )
  })
})

describe('writing', () => {
  const version = (parameters: ExportedVersion['parameters']): ExportedVersion => ({
    name: 'p',
    full_name: 'acme/p',
    title: '',
    description: '',
    tags: [],
    license: null,
    changelog: '',
    version: '1.0.0',
    content: 'Hi',
    content_sha256: '0'.repeat(64),
    variables: [],
    parameters,
    body: { format: 'text', text: 'Hi' },
  })

  test('dotprompt has tools and the output schema where its own package reads them', async () => {
    const parameters = {
      model: 'm',
      max_tokens: 9,
      seed: 1,
      tools: ['search', { type: 'function', function: { ...FUNCTION, strict: true } }, { type: 'web_search' }],
      response_format: FORMAT,
    }
    const written = WRITERS.dotprompt(version(parameters))
    expect(written).toMatchObject({ lost: ['parameters.tools.strict', 'parameters.response_format.name'] })
    const { text } = written.file!
    const rendered = await new Dotprompt().render(text)
    expect(rendered).toMatchObject({
      model: 'm',
      tools: ['search'],
      output: { format: 'json', schema: SCHEMA },
      toolDefs: [{ name: 'get_weather', description: 'Weather of a city', inputSchema: SCHEMA }],
      config: { maxOutputTokens: 9, seed: 1, tools: [{ type: 'web_search' }] },
    })
    expect(read('dotprompt', text).parameters).toEqual({
      ...parameters,
      tools: ['search', ...TOOLS, { type: 'web_search' }],
      response_format: { type: 'json_schema', json_schema: { name: 'output', schema: SCHEMA } },
    })
  })

  test.each(['dotprompt', 'prompty', 'github', 'langfuse'] as const)(
    '%s: what an import reads of an export is what was exported',
    (format) => {
      const exact = fc.record(
        {
          model: fc.constant('openai/m'),
          max_tokens: fc.nat(),
          top_p: fc.double({ min: 0, max: 1, noNaN: true }),
          stop: fc.constant(['x']),
          tools: fc.constantFrom(TOOLS, ['search'], [{ type: 'web_search' }]),
          response_format: fc.constantFrom(
            { type: 'text' },
            { type: 'json_object' },
            { type: 'json_schema', json_schema: { name: 'output', schema: SCHEMA } },
            { type: 'json_schema', json_schema: { name: 'output', schema: { anyOf: [SCHEMA] } } },
          ),
          custom: fc.constant({ a: [1] }),
        },
        { requiredKeys: [] },
      )
      fc.assert(
        fc.property(exact, (parameters) => {
          const written = WRITERS[format](version(parameters))
          expect(written).toMatchObject({ lost: [] })
          expect(read(format, written.file!.text).parameters).toEqual(parameters)
        }),
      )
    },
  )

  test.each([
    ['dotprompt', 'maxOutputTokens: 9'],
    ['prompty', 'maxOutputTokens: 9'],
    ['github', 'maxCompletionTokens: 9'],
    ['langfuse', '"max_tokens": 9'],
  ] as const)('%s spells the most tokens in its own way', (format, line) => {
    expect(WRITERS[format](version({ max_tokens: 9 })).file?.text).toContain(line)
  })
})
