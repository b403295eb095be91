// Tests the tagged template for pages: it escapes everything except the output of other templates, and writes nothing
// for missing values.
import { expect, test } from 'vitest'
import { html, trustedHtml } from '../../packages/account/html.ts'

test.each([
  ['a string in an element', html`<p>${`<b> & "q" 'a'`}</p>`, '<p>&lt;b&gt; &amp; &quot;q&quot; &#39;a&#39;</p>'],
  ['a string in an attribute', html`<p title="${'" onclick="'}">`, '<p title="&quot; onclick=&quot;">'],
  ['an entity, which is escaped again', html`${'&lt;'}`, '&amp;lt;'],
  ['HTML', html`<p>${html`<b>${'<'}</b>`}</p>`, '<p><b>&lt;</b></p>'],
  ['trusted HTML', html`<p>${trustedHtml('<b>&lt;</b>')}</p>`, '<p><b>&lt;</b></p>'],
  ['a nested list', html`${['<', [html`<i>`, 2], undefined]}`, '&lt;<i>2'],
  ['numbers, including 0', html`${0} ${-1.5}`, '0 -1.5'],
  ['missing values', html`<p>${undefined}${null}${false}${[]}${''}</p>`, '<p></p>'],
  ['a line with a missing value', html`<ul>\n  ${undefined}\n  <li>\n  ${'x'}\n</ul>`, '<ul>\n  <li>\n  x\n</ul>'],
])('%s', (_, drawn, text) => expect(drawn.text).toBe(text))
