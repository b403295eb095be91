// Tests that untrusted Markdown is rendered as safe HTML.
import fc from 'fast-check'
import sanitize from 'sanitize-html'
import { describe, expect, test } from 'vitest'
import { isLinkable, linkTarget } from './links.ts'
import { renderMarkdown } from './markdown.ts'

const REL = 'rel="nofollow ugc noopener"'

describe('renderMarkdown', () => {
  //  case                                   markdown                                      HTML
  test.each([
    ['an empty text', '', ''],
    ['emphasis', '*a* **b** ~~c~~', '<p><em>a</em> <strong>b</strong> <s>c</s></p>'],
    ['headings are two levels lower', '# A\n\n## B', '<h3>A</h3>\n<h4>B</h4>'],
    ['a link', '[a](https://x.example/)', `<p><a href="https://x.example/" ${REL}>a</a></p>`],
    ['an email address', '<a@x.example>', `<p><a href="mailto:a@x.example" ${REL}>a@x.example</a></p>`],
    ['a relative link', '[a](/docs)', `<p><a href="/docs" ${REL}>a</a></p>`],
    ['code is escaped', '`<b>`', '<p><code>&lt;b&gt;</code></p>'],
    ['a code block loses its class', '```js\n<b>\n```', '<pre><code>&lt;b&gt;\n</code></pre>'],
    ['raw HTML is escaped', '<script>x</script>', '<p>&lt;script&gt;x&lt;/script&gt;</p>'],
    [
      'an image becomes a link',
      '![a "b"](https://x.example/p.png)',
      '<p><a href="https://x.example/p.png" rel="nofollow ugc noopener">a &quot;b&quot;</a></p>',
    ],
    [
      'an image in a link becomes its alt text',
      '[![a](p.png)](/x)',
      '<p><a href="/x" rel="nofollow ugc noopener">a</a></p>',
    ],
    ['an image that may not be linked becomes its alt text', '![a](ftp://x.example/p.png)', '<p>a</p>'],
    [
      'the alt text of an image is escaped',
      '![<svg onload=x>](p.png)',
      '<p><a href="p.png" rel="nofollow ugc noopener">&lt;svg onload=x&gt;</a></p>',
    ],
    ['tasks become boxes', '- [ ] a\n- [x] b\n- [y] c', '<ul>\n<li>☐ a</li>\n<li>☑ b</li>\n<li>[y] c</li>\n</ul>'],
    ['template syntax is kept as text', '{{ a }} {% b %}', '<p>{{ a }} {% b %}</p>'],
    ['U+2028 is kept as text', 'a\u2028b', '<p>a\u2028b</p>'],
    ['a protocol-relative link loses its target', '[a](//x.example)', `<p><a ${REL}>a</a></p>`],
    ['an ftp link loses its target', '[a](ftp://x.example)', `<p><a ${REL}>a</a></p>`],
    ['a javascript link is kept as text', '[a](javascript:x)', '<p>[a](javascript:x)</p>'],
    ['a vbscript link is kept as text', '[a](vbscript:x)', '<p>[a](vbscript:x)</p>'],
    ['a data link is kept as text', '[a](data:text/html,x)', '<p>[a](data:text/html,x)</p>'],
  ])('%s', (_, text, html) => expect(renderMarkdown(text).trim()).toBe(html))

  test.each([
    '[a](JaVaScRiPt:alert(1))',
    '[a](java\tscript:alert(1))',
    '[a](&#106;avascript:alert(1))',
    '[a](&Tab;javascript:alert(1))',
    '[a](\u0001javascript:alert(1))',
    '<javascript:alert(1)>',
    '[a]: javascript:alert(1)\n\n[a]',
    '[a](https://x.example/"onmouseover="alert(1))',
    '[a](https://x.example "t\\" onclick=alert(1) x=\\"")',
    '![a](x" onerror="alert(1))',
    '<img src=x onerror=alert(1)>',
    '<svg/onload=alert(1)>',
    '<iframe src=javascript:alert(1)>',
    '<a href="javascript:alert(1)">a</a>',
    '"><svg onload=alert(1)>',
    '</script><script>alert(1)</script>',
    '<style>*{display:none}</style>',
    '<form action=/x><input name=q>',
    '```"><script>alert(1)</script>\nx\n```',
    '| a |\n|:-:|\n| <b onclick=alert(1)> |',
    '<!-- --!><script>alert(1)</script>',
    '<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>',
  ])('%j renders with safe tags and attributes only', (text) => {
    const html = renderMarkdown(text)
    const tags = [...html.matchAll(/<(\/?)([^\s>/]+)([^>]*)>/g)]
    for (const [, , name, attributes = ''] of tags) {
      expect(['p', 'a', 'code', 'pre', 'table', 'thead', 'tbody', 'tr', 'th', 'td']).toContain(name)
      expect(attributes).toMatch(
        /^(?: href="(?:https?:\/\/|mailto:|\/)?[^":]*(?:&quot;[^":]*)*"| title="[^"]*"| rel="nofollow ugc noopener"| tabindex="0")*$/,
      )
    }
  })
})

/** What a page may show, checked by a sanitizer that reads HTML and shares no code with the renderer. */
const SHOWN: sanitize.IOptions = {
  allowedTags: [
    ...['p', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li', 'blockquote', 'pre', 'code', 'hr', 'br'],
    ...['em', 'strong', 's', 'a', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
  ],
  allowedAttributes: { a: ['href', 'rel', 'title'], ol: ['start'], table: ['tabindex'] },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowProtocolRelative: false,
}

/** Parts that are significant in Markdown, in HTML or in a URL. */
const PARTS = [
  ...['[', ']', '(', ')', '![', '<', '>', '"', "'", '`', '```', '~~~', '*', '_', '~~', '|', '\n', '\n\n', '    ', '\\'],
  ...['# ', '- ', '7. ', '> ', '|-|', '\n|:-:|\n', ': ', '&lt;', '&quot;', '&#106;', '&Tab;', '\u0000', '\u0001', '\t'],
  ...[
    'javascript:',
    'java\nscript:',
    'data:text/html,',
    'vbscript:',
    'ftp://x',
    '//x.example',
    '/\\x',
    'https://x.example/',
  ],
  ...[
    'onclick=x',
    'style=',
    'class=a',
    'id=b',
    '<script>',
    '</p>',
    '<img src=x onerror=y>',
    '<!--',
    '-->',
    'a',
    '{{ a }}',
  ],
]

test('a sanitizer finds nothing to remove', () => {
  const parts = fc.oneof(fc.constantFrom(...PARTS), fc.string({ maxLength: 3 }))
  const links = fc.array(parts, { maxLength: 4 }).map((target) => `[a](${target.join('')})`)
  const texts = fc.array(fc.oneof(parts, links), { maxLength: 60 })
  const as = (html: string, options: sanitize.IOptions) =>
    sanitize(html, { ...options, parser: { decodeEntities: true } })
  fc.assert(
    fc.property(texts, (text) => {
      const html = renderMarkdown(text.join(''))
      expect(as(html, SHOWN)).toBe(
        as(html, {
          allowedTags: false,
          allowedAttributes: false,
          allowVulnerableTags: true,
          disallowedTagsMode: 'escape',
        }),
      )
    }),
    { numRuns: 150 },
  )
})

describe('isLinkable', () => {
  test.each([
    ['https://x.example/a', true],
    ['mailto:a@x.example', true],
    ['/docs', true],
    ['../a?b#c', true],
    ['#top', true],
    ['', true],
    ['javascript:alert(1)', false],
    ['java\tscript:alert(1)', false],
    ['ftp://x.example', false],
    ['//x.example', false],
    ['/\\x.example', false],
    ['\\\\x.example', false],
    ['\t//x.example', false],
    ['https://', false],
  ])('%j: %s', (address, expected) => expect(isLinkable(address)).toBe(expected))
})

describe('linkTarget', () => {
  test.each([
    ['https://x.example', 'https://x.example/'],
    ['http://x.example/a?b', 'http://x.example/a?b'],
    ['mailto:a@x.example', 'mailto:a@x.example'],
    ['javascript:alert(1)', undefined],
    [' java\nscript:alert(1)', undefined],
    ['data:text/html,x', undefined],
    ['//x.example', undefined],
    ['x', undefined],
  ])('%j', (address, target) => expect(linkTarget(address)).toBe(target))
})
