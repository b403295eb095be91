// Builds the links between the pages of a list (RFC 8288).

/** Returns the values of a Link header. On a page past the end, `prev` points to the last page. @param addressOf the URL of a page */
export function pageLinks(page: number, pages: number, addressOf: (page: number) => string): string[] {
  const linkTo = (target: number, relation: string) => `<${addressOf(target)}>; rel="${relation}"`
  const links: string[] = []
  if (page < pages) links.push(linkTo(page + 1, 'next'))
  if (page > 1 && pages > 0) links.push(linkTo(Math.min(page - 1, pages), 'prev'))
  return links
}
