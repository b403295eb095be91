// The MCP reference as data: the tools and their arguments, as clients receive them.
import { TOOLS } from '../../server/mcp/tools.ts'

/** A tool as shown on the page. */
interface DescribedTool {
  name: string
  title: string
  description: string
  arguments: { name: string; type: string; isRequired: boolean; description: string }[]
}

/** Returns every tool with its arguments. */
export function describeTools(): DescribedTool[] {
  return TOOLS.map(({ name, title, description, inputSchema }) => ({
    name,
    title,
    description,
    arguments: Object.entries(inputSchema.properties ?? {}).map(([argument, schema]) => ({
      name: argument,
      type: typeof schema === 'boolean' ? 'anything' : describeType(schema),
      isRequired: inputSchema.required?.includes(argument) ?? false,
      description: typeof schema === 'boolean' ? '' : (schema.description ?? ''),
    })),
  }))
}

type Schema = (typeof TOOLS)[number]['inputSchema']

function describeType({ type, enum: values, maxLength }: Schema): string {
  if (values) return `one of ${values.join(', ')}`
  return maxLength === undefined ? String(type) : `${type} of at most ${maxLength} characters`
}
