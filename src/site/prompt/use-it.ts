// Generates code that fetches a prompt, for each tool and each way to choose a version. Each snippet can be used unchanged.

import type { Repository, Variable, VersionRecord } from '../../domain/api/schema.ts'
import { mustBeGiven } from '../../domain/content/filling.ts'
import { escapeHtml } from '../../domain/text/html-text.ts'
import { describeTarget } from '../../domain/values/label-target.ts'
import { TOKEN_HEADER } from '../docs/own-values.ts'
import { formatSelected, type Selector, type VersionChoice } from './select-version.ts'

/** A way to choose a version. */
interface Choice {
  words: string
  by: VersionChoice
}

/** A tool, with the command that fetches the prompt. */
export interface Use {
  id: string
  tool: string
  /** How the command takes the version. */
  selector: Selector
  /** @param selected what `formatSelected` returns @param write writes the value of a variable */
  code: (selected: string, write?: WriteValue) => string
  /** Notes on the code, with links to more information. */
  note?: { words: string; link: string; address: string }
}

/** Writes the value of a variable as a literal. */
type WriteValue = (name: string) => string

/** Returns the ways to choose a version of a prompt: pinned, latest, and every label. @param version the version that is shown */
export function listChoices({ labels }: Pick<Repository, 'labels'>, version: string): Choice[] {
  return [
    { words: `Pinned to ${version}`, by: { parameter: 'version', value: version } },
    { words: 'Latest', by: undefined },
    ...Object.entries(labels).map(
      ([label, target]): Choice => ({
        words: `${label} → ${describeTarget(target)}`,
        by: { parameter: 'label', value: label },
      }),
    ),
  ]
}

/** Returns the command for every tool that can use a prompt. @param isForReaders whether only readers may read the hub */
export function listUses(
  { owner, name, full_name, title, variables, format }: Repository,
  baseUrl: string,
  isForReaders = false,
): Use[] {
  const header = isForReaders ? `${TOKEN_HEADER} ` : ''
  const raw = `${baseUrl}/api/v1/repos/${full_name}/raw`
  const note = {
    words: 'Verifies the SHA-256 and caches prompts for offline use.',
    link: 'Install the library',
    address: '/docs/clients',
  }
  const badge: Use = {
    id: 'badge',
    tool: 'Badge',
    selector: 'page',
    code: (selected) =>
      `[![${title.replace(/[[\]\\`]/g, '')}](${baseUrl}/badges/${full_name}.svg)](${baseUrl}/${full_name}${selected})`,
  }
  return [
    { id: 'curl', tool: 'curl', selector: 'query', code: (selected) => `curl -fsS ${header}'${raw}${selected}'` },
    {
      id: 'hubcli',
      tool: 'hubcli',
      selector: 'at',
      code: (selected) => `hubcli add ${full_name}${selected}`,
      note: { words: 'Writes the file and prompts.lock.', link: 'Install hubcli', address: '/docs/cli' },
    },
    {
      id: 'typescript',
      tool: 'TypeScript',
      selector: 'at',
      code: (selected, write = () => "'…'") => `import { PromptHub } from 'prompt-hub-client'

const prompt = await new PromptHub().get('${full_name}${selected}')
const ${fillLine(format, variables, write, '{}')}`,
      note,
    },
    {
      id: 'python',
      tool: 'Python',
      selector: 'at',
      code: (selected, write = () => '"…"') => `from prompt_hub import PromptHub

prompt = PromptHub().get("${full_name}${selected}")
${fillLine(format, variables, write, '')}`,
      note,
    },
    {
      id: 'mcp',
      tool: 'MCP',
      selector: 'json',
      code: (selected) => `{"name":"get_prompt","arguments":{"owner":"${owner}","name":"${name}"${selected}}}`,
      note: { words: 'The tool call that a connected agent makes.', link: 'All tools', address: '/docs/mcp' },
    },
    {
      id: 'action',
      tool: 'GitHub Action',
      selector: 'query',
      code: (selected) => `- name: Fetch ${full_name}
  run: curl -fsS --retry 3 ${header}-o ${name}.md '${raw}${selected}'${isForReaders ? SECRET : ''}`,
      note: { words: 'To keep many prompts up to date, use', link: 'a lock file', address: '/docs/cli' },
    },
    // Other sites send no token, so they cannot show the badge of a hub for readers.
    ...(isForReaders ? [] : [badge]),
  ]
}

/** Gives a step of a workflow the token. */
const SECRET = `\n  env:\n    HUB_TOKEN: \${{ secrets.HUB_TOKEN }}`

/** Stand for the parts of a command that a browser replaces. No key types them, and a title that has them only gains an element. */
const [SELECTED, NAME_START, NAME_END] = ['\uE000', '\uE001', '\uE002']
const VALUES = new RegExp(`${NAME_START}(\\w+)${NAME_END}`, 'g')

/** Renders a command as HTML, with the version and the values in elements of their own. */
export function renderCommand({ code, selector, id }: Use, choice: VersionChoice): string {
  const quote = id === 'python' ? '"' : "'"
  const html = escapeHtml(code(SELECTED, (name) => NAME_START + name + NAME_END))
  return html
    .replaceAll(SELECTED, `<span data-selector="${selector}">${escapeHtml(formatSelected(selector, choice))}</span>`)
    .replace(VALUES, (_, name) => `<span data-value="${name}">${quote}…${quote}</span>`)
}

/** Returns the commands that install a version as an Agent Skill, one for each tool. @param isForReaders whether only readers may read the hub: `npx skills` sends no token */
export function listSkillInstalls(
  { name, full_name, version, url, files }: VersionRecord,
  baseUrl: string,
  isForReaders = false,
) {
  const header = isForReaders ? `${TOKEN_HEADER} ` : ''
  const page = `${baseUrl}/${full_name}/v/${version}`
  const fetchTo = (folder: string) =>
    files.length === 0
      ? `curl -fsS ${header}--create-dirs -o ${folder}/${name}/SKILL.md ${page}/SKILL.md`
      : `mkdir -p ${folder}/${name} && curl -fsS ${header}${url}/archive | tar -xzf - -C ${folder}/${name}`
  const line = (id: string, label: string, tool: string, code: string) => ({
    id,
    label,
    what: `command for ${tool}`,
    code,
  })
  return [
    ...(isForReaders ? [] : [line('npx', 'Any agent, with npx', 'npx', `npx skills add ${page}`)]),
    line('hubcli', 'hubcli, locked in prompts.lock', 'hubcli', `hubcli add ${full_name}@${version} --as skill`),
    line('claude-code', 'Claude Code', 'Claude Code', fetchTo('.claude/skills')),
    line('codex', 'Codex', 'Codex', fetchTo('.agents/skills')),
  ]
}

/** The line that fills in the variables. A chat prompt becomes messages, because `fill` would send its role lines to the model as text. @param nothing the argument when there is no value */
function fillLine(
  format: Repository['format'],
  variables: readonly Variable[],
  write: WriteValue,
  nothing: '{}' | '',
): string {
  const needed = variables.filter(mustBeGiven)
  const isPython = nothing === ''
  const entries = needed.map(({ name }) => `${isPython ? `"${name}"` : name}: ${write(name)}`)
  const values = entries.length === 0 ? nothing : `{ ${entries.join(', ')} }`
  if (format === 'chat') return `messages = prompt.messages(${values})`
  return `text = ${variables.length === 0 ? 'prompt.content' : `prompt.fill(${values})`}`
}
