// Builds the requests for the MCP benchmark, as sent by clients of each protocol generation.

/** Builds a request. @param era its protocol generation */
export function makeMcpRequest(era: '2025' | '2026', method: string, params: Record<string, unknown>): Request {
  const headers = new Headers({ 'Content-Type': 'application/json' })
  const body = { jsonrpc: '2.0', id: 1, method, params }
  if (era === '2025') return send(headers, body)
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  headers.set('MCP-Protocol-Version', '2026-07-28')
  headers.set('Mcp-Method', method)
  if (typeof params.name === 'string') headers.set('Mcp-Name', params.name)
  return send(headers, { ...body, params: { ...params, _meta } })
}

function send(headers: Headers, body: unknown): Request {
  return new Request('http://localhost:8888/mcp', { method: 'POST', headers, body: JSON.stringify(body) })
}
