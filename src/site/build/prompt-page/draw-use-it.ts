// Owns the lines of code that fetch a prompt: a choice of version and of tool. Radio buttons and style sheets do it, so it needs no script.
import type { Repository } from '../../../domain/api/schema.ts'
import { type Html, html } from '../../../server/account/html.ts'
import { repositoryPage } from '../../links.ts'
import { type Choice, listChoices, listUses, type Use } from '../../use-it.ts'
import { drawSnippet } from '../draw-snippet.ts'
import { getCatalogue } from '../loaded-catalogue.ts'
import { drawMcpSetups } from './draw-mcp-setups.ts'

/** What the lines fetch. */
interface Used {
  repository: Repository
  version: string
  /** Whether it stands on the repository's page; on the page of a version there is no other version to choose. */
  isMain: boolean
}

/** Draws them. */
export function drawUseIt({ repository, version, isMain }: Used): Html {
  const { full_name } = repository
  const { baseUrl } = getCatalogue()
  const choices = listChoices(repository, version).slice(0, isMain ? undefined : 1)
  const uses = listUses(repository, baseUrl)
  const ofVersion = isMain
    ? drawRadios({ legend: 'Which version', name: 'choice', words: choices.map(({ words }) => words) })
    : html`<p class="quiet">Pinned to ${version}. <a href="${repositoryPage(full_name)}#use">Latest, by label, or in an MCP client</a></p>`
  const ofTool = drawRadios({ legend: 'With what', name: 'tool', words: uses.map(({ tool }) => tool) })
  const tools = uses.map(
    (use, place) =>
      html`<div class="tool-${place}">${[
        drawLines(use, choices, isMain),
        use.note && html`<p class="quiet">${use.note.words} <a href="${use.note.address}">${use.note.link}</a></p>`,
        use.id === 'badge' &&
          html`<p><img src="/badges/${full_name}.svg" alt="The badge of ${full_name}" height="20" loading="lazy"></p>`,
        use.id === 'mcp' && isMain && drawMcpSetups(`${baseUrl}/mcp`),
      ]}</div>`,
  )
  return html`<section class="use" aria-labelledby="use"><h2 id="use">Use it</h2><div class="choosers">${ofVersion}${ofTool}</div>${tools}</section>`
}

/** Draws a choice of which the first is chosen. */
function drawRadios({ legend, name, words }: { legend: string; name: string; words: readonly string[] }): Html {
  const radios = words.map(
    (word, index) =>
      html`<label><input type="radio" name="${name}" value="${index}" id="${name}-${index}"${index === 0 && html` checked`}>${word}</label>`,
  )
  return html`<fieldset class="choice"><legend class="visually-hidden">${legend}</legend>${radios}</fieldset>`
}

/** Draws the lines of a tool for each choice; where there are several, the style sheet shows the chosen one by its class. */
function drawLines({ id, tool, code }: Use, choices: readonly Choice[], isMain: boolean): Html[] {
  return choices.map((choice, index) => {
    const words = choice.words.toLowerCase()
    return drawSnippet({
      id: `use-${id}-${index}`,
      label: `${tool}, ${words}`,
      what: `the ${tool} lines, ${words}`,
      code: code(choice),
      ...(isMain && { classes: `choice-${index}` }),
    })
  })
}
