// MLflow's prompt versions as JSON: a text or messages with `{{name}}`, with or without spaces. https://mlflow.org/docs/latest/genai/prompt-registry/
import { isObject } from '../../../src/domain/text/json.ts'
import { PlaceholderNames, readList, readMessages } from './messages.ts'
import { addLarge, addSettings, formatSchema } from './parameters.ts'
import { emptyPrompt, type ReadResult } from './portable.ts'
import { readEach, textOf } from './source-file.ts'
import { readBraces } from './template.ts'

/** Fields that are not about the prompt itself. The hub assigns its own version numbers. */
const SILENT = 'version creation_timestamp last_updated_timestamp user_id uri prompt_type variables'.split(' ')
const KNOWN = {
  text: ['name', 'commit_message'],
  object: ['tags', 'response_format', 'model_config'],
  other: ['template', ...SILENT],
}
const MODEL = { text: ['model_name'], object: ['extra_params'] }

/** Reads a version of a prompt, or a list of them. @param name file name without extension */
export function readMlflow(source: string, name: string): ReadResult {
  return readEach(source, (value, findings) => {
    if (!isObject(value) || value.template === undefined)
      return findings.refused('template', 'expected an object with a template')
    const prompt = emptyPrompt(textOf(value.name) || name)
    prompt.changelog = textOf(value.commit_message)
    findings.unsupported(value, KNOWN)
    if (isObject(value.tags)) findings.unsupported(value.tags, {}, undefined, 'tags.')
    const { provider, model_name, extra_params, ...settings } = isObject(value.model_config) ? value.model_config : {}
    findings.unsupported({ provider, model_name, extra_params }, MODEL, undefined, 'model_config.')
    const more = isObject(extra_params) ? extra_params : {}
    addSettings(prompt.parameters, { ...settings, ...more }, findings, 'model_config.')
    if (typeof model_name === 'string') prompt.parameters.model = model_name
    const { response_format: output } = value
    // MLflow stores the schema alone.
    const format = isObject(output) && output.type !== 'json_schema' ? formatSchema(output) : output
    addLarge(prompt.parameters, { response_format: isObject(format) ? format : undefined }, findings)
    const names = new PlaceholderNames()
    // MLflow reads a text with `{%` as Jinja, and leaves other braces as they are in all other texts.
    const fill = (text: string) => names.take(readBraces(text, /\{%/.test(text) ? 'jinja2' : 'literal', findings))
    const { template } = value
    const readText = ({ content }: Record<string, unknown>) => (typeof content === 'string' ? fill(content) : undefined)
    const expected = 'expected a text, or messages with a role (system, user or assistant) and a text'
    prompt.body =
      typeof template === 'string'
        ? { format: 'text', text: fill(template) }
        : readMessages(readList(template, { findings, key: 'template', readText, expected }), findings)
    prompt.variables = names.variables
    return prompt
  })
}
