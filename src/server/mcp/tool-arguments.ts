// Owns reading the arguments of a tool: forms that models often write are changed into the advertised ones first, then everything is checked at once.
import type * as z from 'zod'
import { HubError } from '../../domain/api/errors.ts'
import { formatProblems, parseBy } from '../../domain/content/problems.ts'
import { isObject } from './protocol.ts'
import { INPUTS, type ToolName } from './tool-schemas.ts'

type Given = Record<string, unknown>

/** The checked arguments of a tool. */
export type Arguments<Name extends ToolName> = z.output<(typeof INPUTS)[Name]>

/** @throws HubError `invalid_request` with every problem, each with its argument and an example */
export function readArguments<Name extends ToolName>(tool: Name, given: Given): Arguments<Name>
export function readArguments(tool: ToolName, given: Given): unknown {
  const settled = settle(tool, given)
  const { value, problems } = parseBy<z.ZodType>(INPUTS[tool], settled)
  if (problems) throw new HubError('invalid_request', formatProblems(problems))
  // A checked record lacks an own `__proto__`, but {{__proto__}} is a placeholder like others.
  return isObject(value) && isObject(settled.variables) ? { ...value, variables: textsIn(settled.variables) } : value
}

/** Brings what is accepted but not advertised into the advertised form. */
function settle(tool: ToolName, given: Given): Given {
  const settled = { ...given }
  if (tool === 'search_prompts' || tool === 'list_tags') {
    rename(settled, 'query', 'q')
    for (const key of ['q', 'tag']) {
      const text = settled[key]
      if (typeof text === 'string' && text.trim() === '') delete settled[key]
    }
    return settled
  }
  splitFullName(settled, 'repo')
  splitFullName(settled, 'name')
  for (const key of ['owner', 'name']) {
    const text = settled[key]
    // As the read API redirects such addresses.
    if (typeof text === 'string') settled[key] = text.toLowerCase()
  }
  if (isObject(settled.variables)) settled.variables = textsOf(settled.variables)
  return settled
}

function rename(settled: Given, from: string, to: string): void {
  if (settled[from] === undefined || settled[to] !== undefined) return
  settled[to] = settled[from]
  delete settled[from]
}

/** `owner/name` in one argument, where no owner is given beside it. */
function splitFullName(settled: Given, key: 'repo' | 'name'): void {
  const text = settled[key]
  if (typeof text !== 'string' || settled.owner !== undefined) return
  if (key === 'repo' && settled.name !== undefined) return
  const [owner = '', name = '', rest] = text.split('/')
  if (name === '' || rest !== undefined) return
  delete settled[key]
  settled.owner = owner
  settled.name = name
}

/** Numbers and booleans as values of variables are taken as their text. An own `__proto__` stays one. */
function textsOf(variables: Given): Given {
  return Object.fromEntries(
    Object.entries(variables).map(([key, value]) => [
      key,
      typeof value === 'number' || typeof value === 'boolean' ? String(value) : value,
    ]),
  )
}

function textsIn(variables: Given): Given {
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => typeof value === 'string'))
}
