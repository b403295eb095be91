// Smoke.
import { test } from 'vitest'
import { modern, openMcpHub, post } from './open-hub.ts'
test('smoke', async () => {
  const hub = openMcpHub('content')
  const show = async (r: Request) => { const a = await hub.answer(r); console.log(a.status, Object.fromEntries(a.headers), (await a.text()).slice(0, 700)) }
  await show(post({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {protocolVersion: '2025-06-18', capabilities: {}, clientInfo: {name:'a',version:'1'}} }))
  await show(post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: {name: 'search_prompts', arguments: {q: 'review', limit: 1}} }))
  await show(post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: {name: 'get_prompt', arguments: {name: 'acme/code-review', variables: {language: 'Go'}}} }))
  await show(post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: {name: 'get_prompt', arguments: {name: 'acme/code-reviewer', variables: {language: 'Go'}}} }))
  await show(post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: {name: 'get_prompt', arguments: {nam: 'acme/code-reviewer', variables: 3}} }))
  await show(modern('server/discover'))
  await show(modern('tools/call', {name: 'list_tags', arguments: {limit: 2}}))
  await show(modern('prompts/list'))
  await show(modern('resources/list'))
  await show(modern('resources/read', {uri: 'hub://prompts/acme/nope'}))
  await show(modern('nope/nope', {}))
  await show(modern('prompts/get', {name: 'acme__code-review', arguments: {}}))
  await show(modern('subscriptions/listen', {notifications: {toolsListChanged: true}}))
  await show(modern('completion/complete', {ref: {type: 'ref/resource', uri: 'hub://prompts/{owner}/{name}'}, argument: {name: 'name', value: 'c'}, context: {arguments: {owner: 'acme'}}}))
  await show(post({ jsonrpc: '2.0', id: 1, method: 'ping' }, {Accept: 'text/event-stream'}))
  await show(post({ jsonrpc: '2.0', id: 1, method: 'logging/setLevel', params: {level: 'info'} }))
  await show(post({ jsonrpc: '2.0', method: 'notifications/initialized' }))
  hub.close()
})
