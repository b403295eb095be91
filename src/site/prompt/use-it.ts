// Generates code that fetches a prompt, for each tool and each way to choose a version. Each snippet can be used unchanged.
import type { Repository, Variable, VersionRecord } from '../../domain/api/schema.ts'
import { mustBeGiven } from '../../domain/content/filling.ts'

/** How a version is chosen: an exact number, the latest version, or the version that a label points to. */
interface Choice {
  words: string
  /** The parameter of the API and its value; undefined for the latest version. */
  by: { parameter: 'version' | 'label'; value: string } | undefined
}

/** A tool, with the code to use for each way to choose a version. */
export interface Use {
  id: string
  tool: string
  code: (choice: Choice) => string
  /** Notes on the code, with links to more information. */
  note?: { words: string; link: string; address: string }
}

/** Maximum number of labels offered; more would clutter the form. */
const MAX_LABELS = 2

/** Returns the ways to choose a version of a prompt. @param version the version that is shown */
export function listChoices({ labels }: Repository, version: string): Choice[] {
  return [
    { words: `Pinned to ${version}`, by: { parameter: 'version', value: version } },
    { words: 'Latest', by: undefined },
    ...Object.keys(labels)
      .slice(0, MAX_LABELS)
      .map((label): Choice => ({ words: `Label ${label}`, by: { parameter: 'label', value: label } })),
  ]
}

/** Returns the code for every tool that can use a prompt. */
export function listUses({ owner, name, full_name, title, variables, format }: Repository, baseUrl: string): Use[] {
  const raw = `${baseUrl}/api/v1/repos/${full_name}/raw`
  const query = ({ by }: Choice) => (by ? `?${by.parameter}=${by.value}` : '')
  const option = ({ by }: Choice) => (by ? ` --${by.parameter} ${by.value}` : '')
  const named = ({ by }: Choice) => `${full_name}${by ? `@${by.value}` : ''}`
  const note = {
    words: 'Verifies the SHA-256 and caches prompts for offline use.',
    link: 'Install the library',
    address: '/docs/clients',
  }
  return [
    { id: 'curl', tool: 'curl', code: (choice) => `curl -fsS '${raw}${query(choice)}'` },
    {
      id: 'hubcli',
      tool: 'hubcli',
      code: (choice) => `hubcli pull ${full_name}${option(choice)} -o ${name}.md`,
      note: { words: 'A shell script. Needs curl.', link: 'Install it', address: '/docs/cli' },
    },
    {
      id: 'typescript',
      tool: 'TypeScript',
      code: (choice) => `import { PromptHub } from 'prompt-hub-client'

const prompt = await new PromptHub().get('${named(choice)}')
const ${fillLine(format, variables, "'")}`,
      note,
    },
    {
      id: 'python',
      tool: 'Python',
      code: (choice) => `from prompt_hub import PromptHub

prompt = PromptHub().get("${named(choice)}")
${fillLine(format, variables, '"')}`,
      note,
    },
    {
      id: 'mcp',
      tool: 'MCP client',
      code: ({ by }) =>
        JSON.stringify({ name: 'get_prompt', arguments: { owner, name, ...(by && { [by.parameter]: by.value }) } }),
      note: { words: 'The tool call that a connected agent makes.', link: 'All tools', address: '/docs/mcp' },
    },
    {
      id: 'action',
      tool: 'GitHub Action',
      code: (choice) => `- name: Fetch ${full_name}
  run: curl -fsS --retry 3 -o ${name}.md '${raw}${query(choice)}'`,
      note: { words: 'To keep many prompts up to date, use', link: 'a lock file', address: '/docs/cli' },
    },
    {
      id: 'badge',
      tool: 'Badge',
      code: ({ by }) =>
        `[![${title.replace(/[[\]\\`]/g, '')}](${baseUrl}/badges/${full_name}.svg)](${baseUrl}/${full_name}${by?.parameter === 'version' ? `/v/${by.value}` : ''})`,
    },
  ]
}

/** Returns the commands that install a version as an Agent Skill, one for each tool. */
export function listSkillInstalls({ name, full_name, version, url, files }: VersionRecord, baseUrl: string) {
  const page = `${baseUrl}/${full_name}/v/${version}`
  const fetchTo = (folder: string) =>
    files.length === 0
      ? `curl -fsS --create-dirs -o ${folder}/${name}/SKILL.md ${page}/SKILL.md`
      : `mkdir -p ${folder}/${name} && curl -fsS ${url}/archive | tar -xzf - -C ${folder}/${name}`
  const line = (id: string, label: string, tool: string, code: string) => ({
    id,
    label,
    what: `command for ${tool}`,
    code,
  })
  return [
    line('npx', 'Any agent, with npx', 'npx', `npx skills add ${page}`),
    line('hubcli', 'hubcli, locked in prompts.lock', 'hubcli', `hubcli add ${full_name}@${version} --as skill`),
    line('claude-code', 'Claude Code', 'Claude Code', fetchTo('.claude/skills')),
    line('codex', 'Codex', 'Codex', fetchTo('.agents/skills')),
  ]
}

/** The line that fills in the variables. A chat prompt becomes messages, because `fill` would send its role lines to the model as text. */
function fillLine(format: Repository['format'], variables: readonly Variable[], quote: "'" | '"'): string {
  const values = writeValues(variables, quote)
  if (format === 'chat') return `messages = prompt.messages(${values || (quote === "'" ? '{}' : '')})`
  return `text = ${variables.length === 0 ? 'prompt.content' : `prompt.fill(${values || (quote === "'" ? '{}' : '')})`}`
}

/** Formats values for the required variables as a literal that is valid in both TypeScript and Python. */
function writeValues(variables: readonly Variable[], quote: "'" | '"'): string {
  const needed = variables.filter(mustBeGiven)
  const entries = needed.map(({ name }) => `${quote === '"' ? `"${name}"` : name}: ${quote}…${quote}`)
  return entries.length === 0 ? '' : `{ ${entries.join(', ')} }`
}
