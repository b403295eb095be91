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
    title: 'Start',
    guides: [
      guide('production', 'From code to production', 'From three prompts in your code to production, in eight steps.'),
      guide(
        'import',
        'Moving here',
        'From OpenAI’s stored prompts, Langfuse, a folder, a CSV or another tool; and back.',
      ),
    ],
  },
  {
    title: 'Use prompts',
    guides: [
      guide('reading', 'Reading over HTTP', 'Fetch, pin, search and cache prompts; static files and feeds.'),
      guide('clients', 'Client libraries', 'Fetch, verify, cache, fill in and trace prompts in TypeScript and Python.'),
      guide(
        'filling',
        'Variables, chat and models',
        'How placeholders become values, prompts with roles, and parameters for each SDK.',
      ),
      guide('cli', 'hubcli', 'The command-line client: fetch, publish and lock prompts.'),
      guide('updates', 'Lock and update', 'Pin versions in prompts.lock, and get pull requests with newer ones.'),
      guide(
        'skills',
        'Agent Skills',
        'Install prompts as skills in Claude Code, Codex and other agents; publish your own.',
      ),
      guide('mcp', 'MCP server', 'Connect an agent: URL, client setup and tools.'),
    ],
  },
  {
    title: 'Publish',
    guides: [
      guide(
        'publishing',
        'Publishing',
        'Publish a file, from CI with or without a token (trusted publishing), or by pull request.',
      ),
      guide('managing', 'Managing prompts', 'Move labels, yank, deprecate and rename prompts; remove illegal content.'),
      guide('results', 'Test results', 'Report evaluations of a version, and require them before a label moves.'),
      guide('webhooks', 'Webhooks', 'Be told of versions, labels and results by signed requests.'),
      guide('compose', 'Shared parts', 'Include one prompt in others, assembled when you publish.'),
      guide('content-rules', 'Content rules', 'What is checked in every prompt and pull request.'),
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
      guide('settings', 'Settings and commands', 'Every environment variable and its default, and every npm command.'),
    ],
  },
  {
    title: 'Reference',
    guides: [guide('api', 'API reference', 'Every endpoint, record, limit and error.')],
  },
]

function guide(name: string, words: string, about: string): Guide {
  return { path: `/docs/${name}`, words, about }
}

/** The paths of all guides. */
export const GUIDE_PATHS: readonly string[] = GUIDES.flatMap(({ guides }) => guides.map(({ path }) => path))

export function findGuide(path: string): Guide | undefined {
  return GUIDES.flatMap(({ guides }) => guides).find((guide) => guide.path === path)
}
