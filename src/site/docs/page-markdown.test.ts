// Checks that a page of the docs is the same as Markdown: headings, lists, tables, links and code.
import { expect, test } from 'vitest'
import { writeAsMarkdown } from './page-markdown.ts'

test('writes what a page says, without what is for the browser alone', () => {
  const html = `<body><header>No</header><main id="main"><nav><a href="/">No</a></nav><h1>Title</h1><p>See <a href="/docs/api?a=1&amp;b">the <code>API</code></a>.</p>
<dl><div><dt><code>hubcli cat</code></dt><dd>Prints it.<div><code>--json</code> as JSON</div></dd></div></dl>
<div class="bar"><p>Code</p><button>Copy</button></div><pre><code>a &lt;  b
</code></pre><table><thead><tr><th>A</th><th>B</th></tr></thead><tbody><tr><th><code>x|y</code></th><td>z</td></tr></tbody></table></main></body>`
  expect(writeAsMarkdown(html)).toBe(`# Title

See [the \`API\`](/docs/api?a=1&b).

- \`hubcli cat\`: Prints it.
  - \`--json\` as JSON

Code

\`\`\`
a <  b
\`\`\`

| A | B |
|---|---|
| \`x\\|y\` | z |
`)
})
