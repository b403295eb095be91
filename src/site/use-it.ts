// Owns the lines that take a prompt along: for each tool and each way of choosing a version, code that works as it stands.
import type { Repository } from '../domain/api/schema.ts'
import { listClientSetups } from './docs/mcp-clients.ts'

/** Which version is meant: exactly one, whatever is newest, or whatever a label points at. */
interface Choice {
  id: string
  words: string
  kind: 'pinned' | 'latest' | 'label'
  /** The version or label; empty for the latest. */
  value: string
}

/** A tool with its code for each choice. */
export interface Use {
  id: string
  tool: string
  code: (choice: Choice) => string
  /** What must be known beside the code. */
  note?: string
}

/** More labels would bury the choice. */
const MOST_LABELS = 2

/** The ways to choose a version of a prompt. @param version the one that is shown */
export function listChoices({ labels }: Repository, version: string): Choice[] {
  return [
    { id: 'pinned', words: `Pinned to ${version}`, kind: 'pinned', value: version },
    { id: 'latest', words: 'Latest', kind: 'latest', value: '' },
    ...Object.keys(labels)
      .slice(0, MOST_LABELS)
      .map((label): Choice => ({ id: `label-${label}`, words: `Label ${label}`, kind: 'label', value: label })),
  ]
}

/** Every way to use a prompt from elsewhere. */
export function listUses({ owner, name, full_name, title }: Repository, baseUrl: string): Use[] {
  const raw = `${baseUrl}/api/v1/repos/${full_name}/raw`
  const query = ({ kind, value }: Choice) =>
    kind === 'pinned' ? `?version=${value}` : kind === 'label' ? `?label=${value}` : ''
  const version = ({ kind, value }: Choice) =>
    kind === 'pinned' ? ` --version ${value}` : kind === 'label' ? ` --label ${value}` : ''
  return [
    { id: 'curl', tool: 'curl', code: (choice) => `curl -fsS '${raw}${query(choice)}'` },
    {
      id: 'hubcli',
      tool: 'hubcli',
      code: (choice) =>
        choice.kind === 'label'
          ? `curl -fsS '${raw}${query(choice)}' -o ${name}.md`
          : `hubcli pull ${full_name}${version(choice)} -o ${name}.md`,
    },
    {
      id: 'typescript',
      tool: 'TypeScript',
      code: (choice) => `const response = await fetch('${raw}${query(choice)}')
if (!response.ok) throw new Error(\`\${response.status} \${await response.text()}\`)
const prompt = await response.text()`,
    },
    {
      id: 'python',
      tool: 'Python',
      code: (choice) => `from urllib.request import urlopen

with urlopen("${raw}${query(choice)}") as response:
    prompt = response.read().decode("utf-8")`,
    },
    {
      id: 'mcp',
      tool: 'MCP',
      code: ({ kind, value }) =>
        JSON.stringify(
          {
            name: 'get_prompt',
            arguments: {
              owner,
              name,
              ...(kind === 'pinned' ? { version: value } : kind === 'label' ? { label: value } : {}),
            },
          },
          null,
          2,
        ),
      note: `The server is ${baseUrl}/mcp.`,
    },
    {
      id: 'action',
      tool: 'GitHub Action',
      code: (choice) => `- name: Get ${full_name}
  run: curl -fsS --retry 3 -o ${name}.md '${raw}${query(choice)}'`,
    },
    {
      id: 'badge',
      tool: 'Badge',
      code: () => `[![${title.replace(/[[\]\\`]/g, '')}](${baseUrl}/badges/${full_name}.svg)](${baseUrl}/${full_name})`,
    },
  ]
}

/** A client of the MCP server with the link that installs it there, where it has one. */
export function listMcpClients(
  baseUrl: string,
): { id: string; client: string; where: string; code: string; install?: string }[] {
  const address = `${baseUrl}/mcp`
  const installs: Readonly<Record<string, string>> = {
    'vs-code': `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: 'prompt-hub', type: 'http', url: address }))}`,
    cursor: `cursor://anysphere.cursor-deeplink/mcp/install?name=prompt-hub&config=${encodeURIComponent(btoa(JSON.stringify({ url: address })))}`,
  }
  return listClientSetups(address).map((setup) => ({
    ...setup,
    ...(installs[setup.id] ? { install: installs[setup.id]! } : {}),
  }))
}
