// Makes tabs of the code in a guide: blocks in a row that each have a bold name above them. Readers choose without a script; src/site/client/code-tabs.ts remembers the choice.

const TAB = /<p><strong>([^<]+)<\/strong><\/p>\s*(<pre[^>]*>[\s\S]*?<\/pre>)\s*/
const ROW = new RegExp(`(?:${TAB.source}){2,}`, 'g')

/** Returns the HTML of a guide with tabs. @param html what Astro makes of a guide's Markdown */
export function tabCode(html: string): string {
  let rows = 0
  return html.replace(ROW, (row) => {
    const id = `code-tab-${rows++}`
    const tabs = [...row.matchAll(new RegExp(TAB, 'g'))].map(
      ([, name, code], index) =>
        `<input type="radio" name="${id}" id="${id}-${index}" value="${name}"${index === 0 ? ' checked' : ''}><label for="${id}-${index}">${name}</label><div>${code}</div>`,
    )
    return `<div class="code-tabs" role="group" aria-label="Code for">${tabs.join('')}</div>\n`
  })
}
