// The setup of each common MCP client: what to copy, and where to put it.

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

/** Returns the setup of every client. @param address the URL of the MCP server */
export function listClientSetups(address: string): ClientSetup[] {
  const json = (value: unknown) => JSON.stringify(value, null, 2)
  const servers = (entry: Record<string, unknown>) => json({ mcpServers: { [NAME]: entry } })
  return [
    {
      id: 'claude-code',
      client: 'Claude Code',
      where: 'Run this in a shell. Add --scope user to enable it in every project.',
      code: `claude mcp add --transport http ${NAME} ${address}`,
    },
    {
      id: 'claude-desktop',
      client: 'Claude Desktop and claude.ai',
      where: 'In Settings → Connectors, choose “Add custom connector” and enter this URL.',
      code: address,
    },
    {
      id: 'vs-code',
      client: 'VS Code',
      where: 'Add this to .vscode/mcp.json in a project, or to the file that “MCP: Open User Configuration” opens.',
      code: json({ servers: { [NAME]: { type: 'http', url: address } } }),
      // https://code.visualstudio.com/api/extension-guides/ai/mcp#create-an-mcp-installation-url
      install: `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: NAME, type: 'http', url: address }))}`,
    },
    {
      id: 'cursor',
      client: 'Cursor',
      where: 'Add this to .cursor/mcp.json in a project, or to ~/.cursor/mcp.json.',
      code: servers({ url: address }),
      // https://docs.cursor.com/en/tools/developers
      install: `cursor://anysphere.cursor-deeplink/mcp/install?name=${NAME}&config=${encodeURIComponent(btoa(JSON.stringify({ url: address })))}`,
    },
    {
      id: 'codex',
      client: 'Codex',
      where: 'Add this to ~/.codex/config.toml.',
      code: `[mcp_servers.${NAME}]\nurl = "${address}"`,
    },
    {
      id: 'gemini-cli',
      client: 'Gemini CLI',
      where: 'Run this in a shell. Add --scope user to enable it in every project.',
      code: `gemini mcp add --transport http ${NAME} ${address}`,
    },
    {
      id: 'windsurf',
      client: 'Windsurf',
      where: 'Add this to ~/.codeium/windsurf/mcp_config.json.',
      code: servers({ serverUrl: address }),
    },
    {
      id: 'zed',
      client: 'Zed',
      where: 'Add this to settings.json.',
      code: json({ context_servers: { [NAME]: { url: address } } }),
    },
    {
      id: 'bridge',
      client: 'Clients that only support stdio',
      where: 'This bridge needs Node. You can also use it to connect Claude Desktop to a hub on your own machine.',
      code: servers({ command: 'npx', args: ['-y', 'mcp-remote', address] }),
    },
    {
      id: 'curl',
      client: 'curl',
      where: 'The server requires no session and no handshake: one request, one response.',
      code: `curl -fsS '${address}' -H 'Content-Type: application/json' \\\n  -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_prompts","arguments":{"q":"code review"}}}'`,
    },
  ]
}
