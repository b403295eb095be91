// Owns which guides the docs have, in which order and groups: the one navigation of all of them.

/** A guide: where it lies, what it is called, and what it is for. */
interface Guide {
  path: string
  words: string
  about: string
}

const PAGES = '/src/pages'

/**
 * The path of a guide that is written in markdown. Astro's own `url` of such a page begins behind the first `/pages/` of its file's path,
 * so it is wrong wherever a checkout lies below a folder of that name.
 *
 * @param file its file, from the root of the machine
 */
export function pathOfGuide(file: string): string {
  return file.slice(file.lastIndexOf(`${PAGES}/`) + PAGES.length, -'.md'.length)
}

/** The guides by what a reader is about to do. */
export const GUIDES: readonly { title: string; guides: readonly Guide[] }[] = [
  {
    title: 'Read',
    guides: [
      {
        path: '/docs/reading',
        words: 'Reading prompts',
        about: 'curl, caching, pins, search, the same data as plain files, feeds.',
      },
      {
        path: '/docs/filling',
        words: 'Filling in a prompt',
        about: 'What a value may be, and what stands where none is given.',
      },
      { path: '/docs/parameters', words: 'Parameters', about: 'What model settings mean to each SDK.' },
      { path: '/docs/cli', words: 'hubcli', about: 'The shell client: one file that needs nothing but curl.' },
      {
        path: '/docs/clients',
        words: 'In your program',
        about: 'The TypeScript and Python libraries: pinned, verified, kept, filled strictly.',
      },
      {
        path: '/docs/mcp',
        words: 'MCP server',
        about: 'Connect an agent: the address, each client’s set-up, the tools.',
      },
    ],
  },
  {
    title: 'Publish',
    guides: [
      {
        path: '/docs/publishing',
        words: 'Publishing from CI',
        about: 'One POST with a token, from GitHub Actions or any other CI.',
      },
      {
        path: '/docs/trusted-publishing',
        words: 'Trusted publishing',
        about: 'A GitHub workflow that its owner names publishes without any token.',
      },
      {
        path: '/docs/contributing',
        words: 'By pull request',
        about: 'One markdown file a version; what goes into it.',
      },
      {
        path: '/docs/content-rules',
        words: 'Content rules',
        about: 'What a review looks at, rule by rule, and how to mend it.',
      },
      {
        path: '/docs/moderation',
        words: 'Moderation',
        about: 'Withdraw, deprecate, archive, label, warn of and rename, by a commit.',
      },
      {
        path: '/docs/ranking',
        words: 'Order and trust',
        about: 'How top and trending are made, and what the trust card checks.',
      },
    ],
  },
  {
    title: 'Run',
    guides: [
      { path: '/docs/hosting', words: 'Running your own', about: 'A first look, and which way to go.' },
      {
        path: '/docs/hosting-machine',
        words: 'On one machine',
        about: 'A service or a container, a proxy, backups, upgrades.',
      },
      {
        path: '/docs/hosting-netlify',
        words: 'On Netlify and GitHub',
        about: 'The repository, an App, sign-in, settings, first publish.',
      },
      { path: '/docs/hosting-private', words: 'A private hub', about: 'For one network alone.' },
      { path: '/docs/hosting-mirror', words: 'A mirror', about: 'Every read but search as plain files.' },
    ],
  },
  {
    title: 'Look up',
    guides: [
      { path: '/docs/api', words: 'API reference', about: 'Every address, record, limit and error.' },
      { path: '/docs/changes', words: 'Changes', about: 'What changed for clients, and when.' },
    ],
  },
]
