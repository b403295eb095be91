// Completes arguments of prompts and resource URIs.

import { isObject } from '../../domain/text/json.ts'
import { hasOwnerForm, isName } from '../../domain/values/names.ts'
import type { Completions } from '../../search/search.ts'
import type { Hub } from '../hub.ts'
import { findRepository } from '../read/records.ts'
import { findPrompt } from './prompts.ts'
import { invalidParams, type McpResult, unknownName } from './protocol.ts'
import { TEMPLATES } from './resources.ts'

/** Maximum number of values in a response, set by the protocol. */
const MAX_VALUES = 100

/** Handles `completion/complete`. */
export async function completeArgument(params: Record<string, unknown>, hub: Hub): Promise<McpResult> {
  const { ref, argument, context } = params
  if (!isObject(ref) || !isObject(argument)) throw invalidParams('Expected "ref" and "argument".')
  const { name, value } = argument
  if (typeof name !== 'string' || typeof value !== 'string') {
    throw invalidParams('argument: expected "name" and "value", both strings.')
  }
  const known = isObject(context) && isObject(context.arguments) ? context.arguments : {}
  const { values, total } = await complete(ref, name, value.toLowerCase(), known, hub)
  return { completion: { values, total, hasMore: total > values.length } }
}

async function complete(
  ref: Record<string, unknown>,
  argument: string,
  prefix: string,
  known: Record<string, unknown>,
  hub: Hub,
): Promise<Completions> {
  if (ref.type === 'ref/prompt') return completeVariable(ref.name, argument, prefix, hub)
  if (ref.type !== 'ref/resource') throw invalidParams('ref: expected the type "ref/prompt" or "ref/resource".')
  if (!TEMPLATES.some(({ uriTemplate }) => uriTemplate === ref.uri))
    throw unknownName('template', ref.uri, 'Use one from resources/templates/list.')
  const owner = textOf(known.owner)
  if (argument === 'owner') return hub.search().completeOwner(prefix, MAX_VALUES)
  if (argument === 'name') return hub.search().completeName(prefix, owner, MAX_VALUES)
  return argument === 'version' ? completeVersion(owner, textOf(known.name), prefix, hub) : filter([], prefix)
}

async function completeVersion(
  owner: string | undefined,
  name: string | undefined,
  prefix: string,
  hub: Hub,
): Promise<Completions> {
  if (owner === undefined || name === undefined || !hasOwnerForm(owner) || !isName(name)) return filter([], prefix)
  const repository = (await findRepository(owner, name, hub))?.value()
  // An archived repository can still be read by its URI, but its versions are not suggested.
  return filter(repository && repository.status !== 'archived' ? repository.versions : [], prefix)
}

async function completeVariable(prompt: unknown, argument: string, prefix: string, hub: Hub): Promise<Completions> {
  const { repository } = await findPrompt(prompt, hub)
  const variable = repository.variables.find(({ name }) => name === argument)
  if (!variable || repository.status === 'archived') return filter([], prefix)
  const usual = variable.default === null ? [] : [String(variable.default)]
  return filter(variable.options.length > 0 ? variable.options : usual, prefix)
}

function filter(values: readonly string[], prefix: string): Completions {
  const matching = values.filter((value) => value.toLowerCase().startsWith(prefix))
  return { values: matching.slice(0, MAX_VALUES), total: matching.length }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value.toLowerCase() : undefined
}
