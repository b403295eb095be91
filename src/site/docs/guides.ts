// The navigation of the docs: all guides, in groups and in order.

/** A guide: its path, its words in the navigation, and its purpose. */
interface Guide {
  path: string
  words: string
  about: string
}

const PAGES = '/src/pages'

/**
 * The path of a guide written in Markdown. Astro's own `url` of such a page starts after the first `/pages/` of its file path, so it is wrong if the checkout is in a folder with that name.
 *
 * @param file the absolute file path of the page
 */
export function pathOfGuide(file: string): string {
  return file.slice(file.lastIndexOf(`${PAGES}/`) + PAGES.length, -'.md'.length)
}

/** The guides, grouped by the reader's task. */
export const GUIDES: readonly { title: string; guides: readonly Guide[] }[] = [
  {
    title: 'Use prompts',
    guides: [
      {
        path: '/docs/reading',
        words: 'Reading prompts',
        about: 'Fetch, pin, search and cache prompts; static files and feeds.',
      },
      {
        path: '/docs/filling',
        words: 'Filling in variables',
        about: 'How placeholders become values, and common mistakes.',
      },
      { path: '/docs/chat', words: 'Chat prompts', about: 'Prompts with roles: write, publish and use messages.' },
      {
        path: '/docs/skills',
        words: 'Agent Skills',
        about: 'Install prompts as skills in Claude Code, Codex and other agents; publish your own.',
      },
      { path: '/docs/parameters', words: 'Parameters', about: 'Common model settings and their names in each API.' },
      { path: '/docs/cli', words: 'hubcli', about: 'The command-line client: fetch, publish and lock prompts.' },
      {
        path: '/docs/clients',
        words: 'Client libraries',
        about: 'Fetch, verify, cache and fill prompts in TypeScript and Python.',
      },
      { path: '/docs/mcp', words: 'MCP server', about: 'Connect an agent: URL, client setup and tools.' },
    ],
  },
  {
    title: 'Publish',
    guides: [
      {
        path: '/docs/publishing',
        words: 'Publishing from CI',
        about: 'Publish from GitHub Actions or any other CI, with a token.',
      },
      {
        path: '/docs/trusted-publishing',
        words: 'Trusted publishing',
        about: 'Publish from GitHub Actions without a token.',
      },
      {
        path: '/docs/managing',
        words: 'Managing prompts',
        about: 'Move labels, yank versions, deprecate prompts and edit their details.',
      },
      {
        path: '/docs/contributing',
        words: 'Publish by pull request',
        about: 'Add a prompt or a version as a Markdown file.',
      },
      {
        path: '/docs/import',
        words: 'Import and export',
        about: 'Import prompts from other tools, and export them to other formats.',
      },
      {
        path: '/docs/content-rules',
        words: 'Content rules',
        about: 'The rules for prompts, and how to fix each problem.',
      },
      {
        path: '/docs/moderation',
        words: 'Moderation',
        about: 'Yank, deprecate, archive, label and rename prompts; publish advisories.',
      },
      {
        path: '/docs/ranking',
        words: 'Ranking and quality',
        about: 'How top and trending are calculated, and what the quality checks mean.',
      },
    ],
  },
  {
    title: 'Self-hosting',
    guides: [
      { path: '/docs/hosting', words: 'Overview', about: 'Try a hub, and choose a way to host it.' },
      {
        path: '/docs/hosting-machine',
        words: 'One machine',
        about: 'Service or container, reverse proxy, backups and upgrades.',
      },
      {
        path: '/docs/hosting-cluster',
        words: 'Several machines',
        about: 'PostgreSQL, a clone on each machine, backups and rolling upgrades.',
      },
      {
        path: '/docs/hosting-netlify',
        words: 'Netlify and GitHub',
        about: 'Repository, GitHub App, sign-in and first publish.',
      },
      { path: '/docs/hosting-private', words: 'Private hub', about: 'A hub that only your network can reach.' },
      { path: '/docs/hosting-mirror', words: 'Mirror', about: 'A read-only copy on any web server.' },
      { path: '/docs/settings', words: 'Settings', about: 'Every environment variable and its default.' },
      { path: '/docs/commands', words: 'Commands', about: 'Every npm command in the repository.' },
    ],
  },
  {
    title: 'Reference',
    guides: [
      { path: '/docs/api', words: 'API reference', about: 'Every endpoint, record, limit and error.' },
      { path: '/docs/changes', words: 'API changes', about: 'What changed for clients, by date.' },
    ],
  },
]

/** Returns the guide at a path. */
export function findGuide(path: string): Guide | undefined {
  return GUIDES.flatMap(({ guides }) => guides).find((guide) => guide.path === path)
}
