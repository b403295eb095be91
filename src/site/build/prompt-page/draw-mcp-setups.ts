// Owns how each client is connected to the MCP server, folded by client, with the links that install it at once.
import { type Html, html } from '../../../server/account/html.ts'
import { listClientSetups } from '../../docs/mcp-clients.ts'
import { drawSnippet } from '../draw-snippet.ts'

/** Drawn once, because it is the same on every page of a site. */
let drawn: { address: string; setups: Html } | undefined

/** Draws it. @param address of the MCP server */
export function drawMcpSetups(address: string): Html {
  if (drawn?.address !== address) drawn = { address, setups: drawSetups(address) }
  return drawn.setups
}

function drawSetups(address: string): Html {
  // The line for curl is left out, because curl is one of the tools to choose from beside it; the guide shows how curl calls the MCP server.
  const setups = listClientSetups(address).filter(({ id }) => id !== 'curl')
  const links = setups.map(
    ({ client, install }) =>
      install !== undefined && html`<a class="button" href="${install}">Install in ${client}</a>`,
  )
  const folds = setups.map(({ id, client, where, code }) => {
    const snippet = drawSnippet({ id: `setup-${id}`, label: where, what: `the set-up of ${client}`, code })
    return html`<details class="setup" name="setup"><summary>${client}</summary>${snippet}</details>`
  })
  return html`<h3 class="connect">Connect a client once</h3><p class="actions">${links}</p>${folds}`
}
