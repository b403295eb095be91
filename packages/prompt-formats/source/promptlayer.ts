// PromptLayer's templates, as its REST API returns them: messages of text parts, as f-strings or Jinja. https://docs.promptlayer.com/reference/templates-get
import { isObject } from '../../../src/domain/text/json.ts'
import { joinParts, PlaceholderNames, readList, readMessages } from './messages.ts'
import { addSettings } from './parameters.ts'
import { type ConversionProblems, emptyPrompt, type PortablePrompt, type ReadResult } from './portable.ts'
import { readEach, tagsIn, textOf } from './source-file.ts'
import { clip, readBraces, readFString } from './template.ts'

/** Fields that are not about the prompt itself. The hub assigns its own version numbers. */
const SILENT = `id version workspace_id parent_folder_id created_at updated_at llm_kwargs warning success
  requested_version version_number`.split(/\s+/)
const KNOWN = {
  text: ['prompt_name', 'commit_message'],
  object: ['metadata'],
  texts: ['tags'],
  other: ['prompt_template', ...SILENT],
}
/** What a template says about tools. */
const TOOL_KEYS = ['tools', 'tool_choice', 'functions', 'function_call']

/** Reads a template, or a list of them. @param name file name without extension */
export function readPromptLayer(source: string, name: string): ReadResult {
  return readEach(source, (value, findings) => {
    if (!isObject(value) || !isObject(value.prompt_template))
      return findings.refused(
        'prompt_template',
        'expected an object with a prompt_template; the list of templates has no texts',
      )
    const prompt = emptyPrompt(textOf(value.prompt_name) || name)
    prompt.tags = tagsIn(value.tags)
    prompt.changelog = textOf(value.commit_message)
    findings.unsupported(value, KNOWN)
    readModel(value.metadata, prompt, findings)
    const template = value.prompt_template
    findings.unsupported(
      template,
      { other: ['type', 'messages', 'content', 'template_format', 'input_variables', ...TOOL_KEYS] },
      undefined,
      'prompt_template.',
    )
    const tools = Object.entries(template).filter(([key]) => TOOL_KEYS.includes(key))
    addSettings(prompt.parameters, Object.fromEntries(tools), findings, 'prompt_template.')
    const names = new PlaceholderNames()
    const list =
      template.type === 'completion'
        ? [{ role: 'user', content: template.content, template_format: template.template_format }]
        : template.messages
    const expected = 'expected a role (system, user or assistant) and parts of text'
    const read = (message: Record<string, unknown>) => readText(message, names, findings)
    const isHistory = ({ role }: Record<string, unknown>) => role === 'placeholder'
    prompt.body = readMessages(
      readList(list, { findings, key: 'messages', readText: read, isHistory, expected }),
      findings,
    )
    prompt.variables = names.variables
    return prompt
  })
}

/** @returns undefined if the message has no parts, or others than text */
function readText(
  { content, template_format }: Record<string, unknown>,
  names: PlaceholderNames,
  findings: ConversionProblems,
): string | undefined {
  const text = Array.isArray(content) && content.length > 0 ? joinParts(content, findings) : undefined
  if (text === undefined) return undefined
  const format = template_format || 'f-string'
  if (format !== 'f-string' && format !== 'jinja2')
    findings.refused('template', `${clip(textOf(format) || 'this')} is not f-string or jinja2`)
  return names.take(format === 'jinja2' ? readBraces(text, 'jinja2', findings) : readFString(text, findings))
}

function readModel(metadata: unknown, prompt: PortablePrompt, findings: ConversionProblems): void {
  if (!isObject(metadata)) return
  const model = isObject(metadata.model) ? metadata.model : {}
  if (isObject(model.parameters))
    addSettings(prompt.parameters, model.parameters, findings, 'metadata.model.parameters.')
  if (typeof model.name === 'string') prompt.parameters.model = model.name
  findings.unsupported(metadata, { object: ['model'] }, undefined, 'metadata.')
  findings.unsupported(model, { text: ['name'], object: ['parameters'] }, undefined, 'metadata.model.')
}
