// The setup of each common MCP client: what to copy, and where to put it.
import { TOKEN_HEADER } from './own-values.ts'

interface ClientSetup {
  id: string
  client: string
  /** Where to put the code, as a sentence. */
  where: string
  code: string
  /** A one-click install link, for clients that support it. */
  install?: string
}

/** A server name that every client accepts. */
const NAME = 'prompt-hub'

/** A place that a client fills. */
function variable(name: string): string {
  return `\${${name}}`
}

/** What a client sends to a hub for readers, if it takes the variable from its environment. */
const BEARER = `Bearer ${variable('env:HUB_TOKEN')}`

/** Returns the setup of every client. @param address the URL of the MCP server @param isForReaders whether only readers may read the hub: then each setup sends a token, and those that cannot are left out */
export function listClientSetups(address: string, isForReaders = false): ClientSetup[] {
  const headers = (value: string) => isForReaders && { headers: { Authorization: value } }
  const option = isForReaders ? ' --header "Authorization: Bearer $HUB_TOKEN"' : ''
  const token = { type: 'promptString', id: 'hub-token', description: 'Token of the hub', password: true }
  const inputs = isForReaders && { inputs: [token] }
  const vsCode = { type: 'http', url: address, ...headers(`Bearer ${variable('input:hub-token')}`) }
  const cursor = { url: address, ...headers(BEARER) }
  const json = (value: unknown) => JSON.stringify(value, null, 2)
  const servers = (entry: Record<string, unknown>) => json({ mcpServers: { [NAME]: entry } })
  return [
    {
      id: 'claude-code',
      client: 'Claude Code',
      where: 'Run this in a shell. Add --scope user to enable it in every project.',
      code: `claude mcp add --transport http ${NAME} ${address}${option}`,
    },
    // A connector sends no header of its own.
    ...(isForReaders
      ? []
      : [
          {
            id: 'claude-desktop',
            client: 'Claude Desktop and claude.ai',
            where: 'In Settings → Connectors, choose “Add custom connector” and enter this URL.',
            code: address,
          },
        ]),
    {
      id: 'vs-code',
      client: 'VS Code',
      where: 'Add this to .vscode/mcp.json in a project, or to the file that “MCP: Open User Configuration” opens.',
      code: json({ ...inputs, servers: { [NAME]: vsCode } }),
      // https://code.visualstudio.com/api/extension-guides/ai/mcp#create-an-mcp-installation-url
      install: `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: NAME, ...inputs, ...vsCode }))}`,
    },
    {
      id: 'cursor',
      client: 'Cursor',
      where: 'Add this to .cursor/mcp.json in a project, or to ~/.cursor/mcp.json.',
      code: servers(cursor),
      // https://docs.cursor.com/en/tools/developers
      install: `cursor://anysphere.cursor-deeplink/mcp/install?name=${NAME}&config=${encodeURIComponent(btoa(JSON.stringify(cursor)))}`,
    },
    {
      id: 'codex',
      client: 'Codex',
      where: 'Add this to ~/.codex/config.toml.',
      code: `[mcp_servers.${NAME}]\nurl = "${address}"${isForReaders ? '\nbearer_token_env_var = "HUB_TOKEN"' : ''}`,
    },
    {
      id: 'gemini-cli',
      client: 'Gemini CLI',
      where: 'Run this in a shell. Add --scope user to enable it in every project.',
      code: `gemini mcp add --transport http${option} ${NAME} ${address}`,
    },
    {
      id: 'windsurf',
      client: 'Windsurf',
      where: 'Add this to ~/.codeium/windsurf/mcp_config.json.',
      code: servers({ serverUrl: address, ...headers(BEARER) }),
    },
    {
      id: 'zed',
      client: 'Zed',
      where: `Add this to settings.json${isForReaders ? ', with your token' : ''}.`,
      code: json({ context_servers: { [NAME]: { url: address, ...headers('Bearer hub_…') } } }),
    },
    {
      id: 'bridge',
      client: 'Clients that only support stdio',
      where: 'This bridge needs Node. You can also use it to connect Claude Desktop to a hub on your own machine.',
      code: servers({
        command: 'npx',
        // Some clients split an argument at its spaces.
        args: [
          '-y',
          'mcp-remote',
          address,
          ...(isForReaders ? ['--header', `Authorization:${variable('AUTHORIZATION')}`] : []),
        ],
        ...(isForReaders && { env: { AUTHORIZATION: 'Bearer hub_…' } }),
      }),
    },
    {
      id: 'curl',
      client: 'curl',
      where: 'The server requires no session and no handshake: one request, one response.',
      code: `curl -fsS '${address}'${isForReaders ? ` ${TOKEN_HEADER}` : ''} -H 'Content-Type: application/json' \\\n  -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_prompts","arguments":{"q":"code review"}}}'`,
    },
  ]
}
