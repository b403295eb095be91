// Escapes text for HTML and XML: for pages, feeds and the sitemap, on the server and in the browser.

/** Escapes a string for an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  // Most strings need no escaping. Five plain replacements take half as long as one replacement with a function, and a page contains about a hundred strings to escape.
  if (!/[&<>"']/.test(text)) return text
  return text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/'/g, '&#39;')
}

/** Characters that XML 1.0 does not allow: https://www.w3.org/TR/xml/#charsets */
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ud800-\udfff\ufffe\uffff]/gu

/** Escapes a string for an XML element or attribute, and removes characters that XML does not allow. */
export function escapeXml(text: string): string {
  return escapeHtml(text.replace(NOT_XML, ''))
}
