// Lists every kind of page, and how to prepare each kind for its screenshot.
import type { Page } from 'playwright-core'
import type { ScratchHub } from './scratch-hub.ts'

/** A kind of page. */
export interface PageKind {
  /** Name of the screenshot. */
  name: string
  /** The path; omitted if the screenshot continues from the previous page. */
  path?: string
  /** Prepares the open page for the screenshot. */
  prepare?: (page: Page, hub: ScratchHub) => Promise<unknown>
  /** Whether to capture only the visible part instead of the whole page. */
  isScreen?: boolean
  /** Whether to capture the print layout. */
  isPrinted?: boolean
}

const PROMPT = '/acme/code-review'
const FILLED = `${PROMPT}#?language=Go&intent=Return+0+instead+of+NaN`
/** A prompt whose content is longer than the visible part. */
const LONG = '/acme/agent-system-prompt'
const WITHDRAWN = '/acme/sql-query-writer/v/1.0.1'
const GUIDES = [
  ...[
    'api',
    'changes',
    'cli',
    'clients',
    'content-rules',
    'contributing',
    'filling',
    'hosting',
    'hosting-machine',
    'import',
  ],
  ...['hosting-mirror', 'hosting-netlify', 'hosting-private', 'mcp', 'moderation', 'parameters', 'publishing'],
  ...['ranking', 'reading', 'trusted-publishing'],
]

const showSides = (page: Page) => page.getByText('Side by side').click({ force: true })

export const PUBLIC_KINDS: readonly PageKind[] = [
  { name: 'home', path: '/' },
  { name: 'home-suggestions', path: '/', prepare: suggest, isScreen: true },
  { name: 'header-suggestions', path: '/tags', prepare: suggest, isScreen: true },
  { name: 'home-query', path: '/?q=review&tag=engineering' },
  { name: 'search', path: '/search?q=summarise' },
  { name: 'search-typo', path: '/search?q=reveiw' },
  { name: 'search-nothing', path: '/search?q=zzqxjk' },
  { name: 'prompt', path: PROMPT },
  { name: 'prompt-filled', path: FILLED, isScreen: true },
  {
    name: 'prompt-menu',
    path: PROMPT,
    prepare: (page) => page.locator('.head-tools .menu').last().locator('summary').click(),
    isScreen: true,
  },
  { name: 'prompt-long', path: LONG, isScreen: true, prepare: (page) => page.evaluate(() => scrollTo(0, 900)) },
  { name: 'prompt-readme', path: `${PROMPT}#readme`, isScreen: true },
  { name: 'prompt-versions', path: `${PROMPT}#versions`, isScreen: true },
  { name: 'prompt-use-it', path: `${PROMPT}#use`, isScreen: true },
  {
    name: 'prompt-use-mcp',
    path: `${PROMPT}#use`,
    isScreen: true,
    prepare: (page) => page.getByText('MCP client', { exact: true }).click({ force: true }),
  },
  { name: 'prompt-deprecated', path: '/example-labs/prompt-polish' },
  { name: 'prompt-archived', path: '/fictional-foundry/decision-record' },
  { name: 'version-latest', path: `${PROMPT}/v/2.0.0` },
  { name: 'version-old', path: `${PROMPT}/v/1.2.0` },
  { name: 'version-yanked', path: WITHDRAWN },
  { name: 'compare', path: `${PROMPT}/compare/1.2.0...2.0.0` },
  { name: 'compare-sides', path: `${PROMPT}/compare/1.2.0...2.0.0`, prepare: showSides },
  { name: 'compare-any', path: `${PROMPT}/compare/1.0.0...1.2.0` },
  { name: 'owner', path: '/acme' },
  { name: 'tag', path: '/tags/engineering' },
  { name: 'tags', path: '/tags' },
  { name: 'docs', path: '/docs' },
  ...GUIDES.map((guide) => ({ name: `docs-${guide}`, path: `/docs/${guide}` })),
  { name: 'missing', path: '/nobody/here' },
  { name: 'missing-close', path: '/acme/code-reveiw' },
  { name: 'printed', path: FILLED, isPrinted: true },
  { name: 'printed-compare', path: `${PROMPT}/compare/1.2.0...2.0.0`, isPrinted: true },
]

/** Pages for signed-in users, in the order of a visit; the last pages publish. */
export const ACCOUNT_KINDS: readonly PageKind[] = [
  { name: 'settings-signed-out', path: '/settings' },
  { name: 'sign-in', prepare: (page, hub) => page.goto(hub.signInLink()) },
  { name: 'settings', prepare: signIn },
  { name: 'token-new', prepare: (page) => makeToken(page, 'laptop') },
  { name: 'settings-tokens', path: '/settings', prepare: manageTokens },
  { name: 'settings-revoked', prepare: (page) => page.getByRole('button', { name: /^Revoke laptop/ }).click() },
  { name: 'token-refused', path: '/settings', prepare: (page) => makeToken(page, 'deploy', '-x-') },
  { name: 'being-built', path: '/settings', prepare: publish },
]

async function suggest(page: Page): Promise<void> {
  await page.keyboard.press('/')
  await page.keyboard.type('review')
  await page.getByRole('option').first().waitFor()
  await page.keyboard.press('ArrowDown')
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Username').fill('alice')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/settings')
}

async function makeToken(page: Page, name: string, repository = ''): Promise<string | null> {
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Repository').fill(repository)
  await page.getByRole('button', { name: 'Create token' }).click()
  await page.waitForURL('**/settings/tokens')
  const token = page.locator('#new-token')
  return (await token.count()) > 0 ? token.textContent() : null
}

async function manageTokens(page: Page, { address }: ScratchHub): Promise<void> {
  await makeToken(page, 'A workflow that publishes every night', 'weekly-report')
  await page.goto(`${address}/settings`)
}

/** Publishes a prompt that is not in the build, and opens its page. */
async function publish(page: Page, { address }: ScratchHub): Promise<void> {
  const token = await makeToken(page, 'once')
  const answer = await fetch(`${address}/api/v1/repos/alice/release-notes/versions`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      title: 'Release notes',
      description: 'Turns merged changes into notes that users understand.',
      content: 'Write release notes for {{product}} {{version}}.\n\nThe changes:\n{{changes}}\n',
      license: 'CC0-1.0',
    }),
  })
  if (answer.status !== 201) throw new Error(`Publishing failed with status ${answer.status}: ${await answer.text()}`)
  await page.goto(`${address}/alice/release-notes`)
}
