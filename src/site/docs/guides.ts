// The navigation of the docs: all guides, in groups and in order.

/** A guide: its path, its title in the navigation, and its purpose. */
interface Guide {
  path: string
  words: string
  about: string
}

const PAGES = '/src/pages'

/**
 * Returns the path of a guide written in Markdown. Astro derives the `url` of such a page from the first `/pages/` in its file path, so the `url` is wrong if the checkout is in a folder named `pages`.
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
      guide('reading', 'Reading prompts', 'Fetch, pin, search and cache prompts; static files and feeds.'),
      guide(
        'filling',
        'Variables and chat prompts',
        'How placeholders become values, common mistakes, and prompts with roles.',
      ),
      guide(
        'skills',
        'Agent Skills',
        'Install prompts as skills in Claude Code, Codex and other agents; publish your own.',
      ),
      guide(
        'parameters',
        'Parameters and models',
        'Common model settings, their names in each API, and models that retire.',
      ),
      guide('cli', 'hubcli', 'The command-line client: fetch, publish and lock prompts.'),
      guide('clients', 'Client libraries', 'Fetch, verify, cache, fill in and trace prompts in TypeScript and Python.'),
      guide('updates', 'Keeping prompts current', 'Pull requests with newer versions: the update action and Renovate.'),
      guide('mcp', 'MCP server', 'Connect an agent: URL, client setup and tools.'),
    ],
  },
  {
    title: 'Publish',
    guides: [
      guide('publishing', 'Publishing', 'Publish from any CI with a token, or by pull request.'),
      guide('trusted-publishing', 'Trusted publishing', 'Publish from GitHub Actions without a token.'),
      guide('managing', 'Managing prompts', 'Move labels, yank, deprecate and rename prompts; remove illegal content.'),
      guide('results', 'Test results', 'Report evaluations of a version, and require them before a label moves.'),
      guide('compose', 'Shared parts', 'Include one prompt in others, assembled when you publish.'),
      guide('import', 'Import and export', 'Import prompts from other tools, and export them to other formats.'),
      guide('content-rules', 'Content rules', 'The rules for prompts, and how to fix each problem.'),
      guide(
        'trust',
        'Checks and ranking',
        'What each mark on a prompt’s page proves, what it does not, and how top and trending are calculated.',
      ),
    ],
  },
  {
    title: 'Self-hosting',
    guides: [
      guide('hosting', 'Overview', 'Try a hub, choose how to host it, and mirror it.'),
      guide('hosting-machine', 'One machine', 'Service or container, reverse proxy, backups and upgrades.'),
      guide(
        'hosting-cluster',
        'Several machines',
        'PostgreSQL, a clone on each machine, backups and rolling upgrades.',
      ),
      guide('hosting-netlify', 'Netlify and GitHub', 'Repository, GitHub App, sign-in and first publish.'),
      guide(
        'hosting-private',
        'Private hub',
        'A hub for your company or network: sign-in with your provider, readers, audit and erasure.',
      ),
      guide('settings', 'Settings', 'Every environment variable and its default.'),
      guide('commands', 'Commands', 'Every npm command in the repository.'),
    ],
  },
  {
    title: 'Reference',
    guides: [
      guide('api', 'API reference', 'Every endpoint, record, limit and error.'),
      guide('changes', 'API changes', 'What changed for clients, by date.'),
    ],
  },
]

function guide(name: string, words: string, about: string): Guide {
  return { path: `/docs/${name}`, words, about }
}

/** The guides that are generated from the code. */
const GENERATED: ReadonlySet<string> = new Set(
  ['reading', 'cli', 'mcp', 'content-rules', 'api'].map((name) => `/docs/${name}`),
)

/** The paths of the guides that are there as Markdown as well, with `.md` at the end. */
export const MARKDOWN_GUIDES: ReadonlySet<string> = new Set(
  GUIDES.flatMap(({ guides }) => guides.map(({ path }) => path)).filter((path) => !GENERATED.has(path)),
)

export function findGuide(path: string): Guide | undefined {
  return GUIDES.flatMap(({ guides }) => guides).find((guide) => guide.path === path)
}
