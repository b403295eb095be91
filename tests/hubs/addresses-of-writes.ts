// A table of writes, and of the addresses at which each of them can be read. Tests send the writes and read the
// addresses at once.
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

/** What an address must say: a text that it contains, or lacks if it begins with `!`; `=404` and the like are its status. */
type Said = string

/**
 * Where an address shows a write at once: on every hub that shares the state (`copy`); on the hub that answered, and on
 * others once they render the page again (`page`); on the hub that answered, because it waits for its build (`build`).
 */
export type When = 'copy' | 'page' | 'build'

/** A write, and what its addresses say afterwards. */
export interface Write {
  title: string
  method: string
  path: string
  body: object
  /** By address. `mcp METHOD {JSON}` is a request to /mcp. What reads the same copy is read after the first writes only. */
  reads: Readonly<Partial<Record<When, Readonly<Record<string, Said>>>>>
}

const R = '/api/v1/repos/acme'
const D = '/data/v1/repos/acme'
const SCRIPT = 'echo narwhal\n'
const SCRIPT_SHA256 = createHash('sha256').update(SCRIPT).digest('hex')

const tool = (name: string, given: object) => `mcp tools/call ${JSON.stringify({ name, arguments: given })}`
const GREET = { owner: 'acme', name: 'greet' }
const label = { version: '1.1.0' }

/** The files of the first commit. */
export const CONTENT_OF_WRITES = {
  'content/acme/index.md': '---\nname: Acme\n---\n',
  'content/acme/greet/index.md': '---\ntitle: Greet\ntags: [old-tag]\n---\n',
  'content/acme/greet/versions/1.0.0.md':
    '---\npublished_at: "2026-11-20T10:00:00Z"\npublished_by: acme\n---\nHello {{name}}\n',
}

/** The writes, in their order: each begins where the one before ended. */
export const WRITES: readonly Write[] = [
  {
    title: 'a new version with metadata',
    method: 'POST',
    path: `${R}/greet/versions`,
    body: {
      content: 'A zebrafish greets {{person}}\n',
      changelog: 'Changedwords',
      bump: 'minor',
      title: 'Titleword',
      tags: ['new-tag'],
      description: 'Describedword',
    },
    reads: {
      copy: {
        [`${R}/greet`]: 'zebrafish',
        [`${R}/greet/versions`]: 'Changedwords',
        [`${R}/greet/versions/1.1.0`]: 'zebrafish',
        [`${R}/greet/raw`]: 'zebrafish',
        [`${R}/greet/raw?version=1.1.0`]: 'zebrafish',
        [`${R}/greet/activity`]: '"version":"1.1.0"',
        [`${R}/greet/versions/1.1.0/export/markdown`]: 'Describedword',
        [`${D}/greet.json`]: 'zebrafish',
        [`${D}/greet/versions.json`]: '"version":"1.1.0"',
        [`${D}/greet/versions/pages/1.json`]: 'Changedwords',
        [`${D}/greet/versions/1.1.0.json`]: 'zebrafish',
        [`${D}/greet/raw.txt`]: 'zebrafish',
        [`${D}/greet/raw/1.1.0.txt`]: 'zebrafish',
        [`${D}/greet/changes.json`]: '"from":"1.0.0","to":"1.1.0"',
        [tool('get_prompt', GREET)]: 'zebrafish',
        [tool('list_versions', GREET)]: 'Changedwords',
        'mcp resources/read {"uri":"hub://prompts/acme/greet"}': 'zebrafish',
        'mcp resources/read {"uri":"hub://prompts/acme/greet/versions/1.1.0"}': 'zebrafish',
        'mcp prompts/get {"name":"acme__greet","arguments":{"person":"Ada"}}': 'zebrafish',
      },
      page: {
        '/acme/greet': 'zebrafish',
        '/acme/greet/v/1.1.0': 'zebrafish',
        '/acme/greet/versions': 'Changedwords',
        '/acme/greet/compare/1.0.0...1.1.0': 'zebrafish',
        '/acme/greet/feed.xml': 'Changedwords',
        '/acme/feed.xml': 'Changedwords',
        '/badges/acme/greet.svg': '1.1.0',
      },
      build: {
        '/api/v1/repos': 'Titleword',
        '/api/v1/repos?q=zebrafish': 'Titleword',
        '/api/v1/repos?tag=new-tag': 'Titleword',
        '/api/v1/tags': 'new-tag',
        '/api/v1/users/acme': 'Titleword',
        '/data/v1/index.json': 'Titleword',
        '/data/v1/lists/new/1.json': 'Titleword',
        '/data/v1/lists/recent.json': 'Titleword',
        '/data/v1/tags.json': 'new-tag',
        '/data/v1/tags/new-tag/top/1.json': 'Titleword',
        '/data/v1/tags/new-tag/recent.json': 'Titleword',
        '/data/v1/tags/old-tag/top/1.json': '=404',
        '/data/v1/users/acme.json': 'Titleword',
        '/': 'Titleword',
        '/acme': 'Titleword',
        '/search?q=zebrafish': 'Titleword',
        '/tags': 'new-tag',
        '/tags/new-tag': 'Titleword',
        '/feed.xml': 'Titleword 1.1.0',
        '/tags/new-tag/feed.xml': 'Titleword 1.1.0',
        [tool('search_prompts', { q: 'zebrafish' })]: 'Titleword',
        [tool('list_tags', {})]: 'new-tag',
        'mcp resources/list {}': 'Describedword',
        'mcp prompts/list {}': 'person',
      },
    },
  },
  {
    title: 'a new skill with a file',
    method: 'POST',
    path: `${R}/helper/versions`,
    body: {
      content: 'Run scripts/a.sh\n',
      skill: { description: 'Helps with narwhals.' },
      files: [{ path: 'scripts/a.sh', text: SCRIPT }],
    },
    reads: {
      copy: {
        '/acme/helper/SKILL.md': 'narwhals',
        '/acme/helper/v/1.0.0/SKILL.md': 'narwhals',
        '/acme/helper/v/1.0.0/scripts/a.sh': 'narwhal',
        '/acme/helper/.well-known/agent-skills/index.json': 'narwhals',
        '/acme/helper/v/1.0.0/.well-known/agent-skills/index.json': 'narwhals',
        [`${R}/helper/versions/1.0.0/files/scripts/a.sh`]: 'narwhal',
        [`${R}/helper/versions/1.0.0/archive`]: '=200',
        '/api/apm/v1/packages/acme/helper/versions': '"1.0.0"',
        '/api/apm/v1/packages/acme/helper/versions/1.0.0/download': '=200',
        [`${D}/helper.json`]: 'narwhals',
        [`${D}/helper/skills/1.0.0.md`]: 'narwhals',
        [`${D}/helper/blobs/${SCRIPT_SHA256}.bin`]: 'narwhal',
        [`${D}/helper/apm.json`]: '"1.0.0"',
        '/acme/helper/v/1.0.0/plugin.json': 'narwhals',
        '/acme/helper/v/1.0.0/plugin.zip': '=200',
        '/acme/helper/v/1.0.0/.claude-plugin/marketplace.json': 'plugin.zip',
        '/npm/@acme%2fhelper': '"latest":"1.0.0"',
        '/npm/@acme/helper/-/helper-1.0.0.tgz': '=200',
        [`${D}/helper/npm.json`]: '"latest":"1.0.0"',
        'mcp skills/get {"uri":"skill://acme/helper/SKILL.md"}': 'narwhals',
        'mcp resources/read {"uri":"skill://acme/helper/scripts/a.sh"}': 'narwhal',
      },
      page: { '/acme/helper': 'narwhals' },
      build: {
        '/acme/.well-known/agent-skills/index.json': 'narwhals',
        '/.well-known/agent-skills/index.json': 'narwhals',
        '/acme/.claude-plugin/marketplace.json': '"sha256":',
        '/.claude-plugin/marketplace.json': '"sha256":',
        '/data/v1/marketplace.json': 'narwhals',
        '/data/v1/marketplaces/acme.json': 'narwhals',
        '/data/v1/skills/acme.json': 'narwhals',
        '/data/v1/skills.json': 'narwhals',
        '/sitemap.xml': '/acme/helper<',
        '/acme': 'acme/helper',
        '/acme/feed.xml': 'Helper 1.0.0',
        'mcp completion/complete {"ref":{"type":"ref/resource","uri":"hub://prompts/{owner}/{name}"},"argument":{"name":"name","value":"help"},"context":{"arguments":{"owner":"acme"}}}':
          'helper',
      },
    },
  },
  {
    title: 'a prompt that includes another',
    method: 'POST',
    path: `${R}/whole/versions`,
    body: { content: '{{include "acme/greet"}}\nMore.\n', compose: true },
    reads: {
      copy: { [`${R}/whole/raw`]: 'zebrafish', [`${D}/whole.json`]: '"repository":"acme/greet"' },
      build: {
        [`${R}/greet/dependents`]: 'acme/whole',
        '/data/v1/dependents/acme/greet.json': 'acme/whole',
        '/data/v1/users/acme/composed.json': 'acme/whole',
        '/acme/greet/dependents': 'acme/whole',
      },
    },
  },
  {
    title: 'a fork',
    method: 'POST',
    path: `${R}/forked/versions`,
    body: { content: 'Hello, {{name}}!\n', forked_from: 'acme/greet@1.0.0' },
    reads: {
      copy: { [`${D}/forked.json`]: '"forked_from":"acme/greet@1.0.0"' },
      build: { '/data/v1/forks/acme/greet.json': 'acme/forked', '/acme/greet/forks': 'acme/forked' },
    },
  },
  {
    title: 'a label',
    method: 'PUT',
    path: `${R}/greet/labels/production`,
    body: label,
    reads: {
      copy: {
        [`${R}/greet`]: '"production":{"version":"1.1.0","split":null}',
        [`${R}/greet/raw?label=production`]: 'zebrafish',
        [`${R}/greet/activity`]: '"type":"labelled"',
        '/api/v1/users/acme/labels/production': '"version":"1.1.0"',
        [`${D}/greet.json`]: '"production":{"version":"1.1.0","split":null}',
        '/data/v1/users/acme/labels/production.json': '"version":"1.1.0"',
        '/data/v1/activity/acme/greet.json': '"type":"labelled"',
        [tool('get_prompt', { ...GREET, label: 'production' })]: 'zebrafish',
      },
      page: { '/acme/greet': 'production', '/acme/greet/feed.xml': 'Set label production to 1.1.0' },
    },
  },
  {
    title: 'a label that moves',
    method: 'PUT',
    path: `${R}/greet/labels/production`,
    body: { version: '1.0.0' },
    reads: {
      copy: {
        [`${R}/greet/raw?label=production`]: 'Hello',
        '/api/v1/users/acme/labels/production': '"version":"1.0.0"',
        '/data/v1/users/acme/labels/production.json': '"version":"1.0.0"',
        '/data/v1/activity/acme/greet.json': '"from":"1.1.0","to":"1.0.0"',
      },
    },
  },
  {
    title: 'a label that is removed',
    method: 'DELETE',
    path: `${R}/greet/labels/production`,
    body: {},
    reads: {
      copy: {
        [`${R}/greet/raw?label=production`]: '=404',
        '/api/v1/users/acme/labels/production': '"total":0',
        '/data/v1/users/acme/labels/production.json': '=404',
      },
    },
  },
  {
    title: 'a result',
    method: 'PUT',
    path: `${R}/greet/versions/1.1.0/results/smoke`,
    body: { passed: 41, failed: 1 },
    reads: {
      copy: {
        [`${R}/greet/versions/1.1.0/results`]: '"passed":41',
        [`${R}/greet`]: '"passed":41',
        [`${R}/greet/activity`]: '"suite":"smoke"',
        [`${D}/greet/results/1.1.0.json`]: '"passed":41',
        [`${D}/greet/results.json`]: '"passed":41',
      },
      page: { '/acme/greet': 'smoke', '/acme/greet/feed.xml': '41 passed', '/acme/feed.xml': '41 passed' },
    },
  },
  {
    title: 'a yank',
    method: 'PUT',
    path: `${R}/greet/versions/1.1.0/yank`,
    body: { reason: 'Wrongword' },
    reads: {
      copy: {
        [`${R}/greet`]: '"latest_version":"1.0.0"',
        [`${R}/greet/versions`]: 'Wrongword',
        [`${R}/greet/raw`]: 'Hello',
        [`${D}/greet/versions/pages/1.json`]: 'Wrongword',
        '/data/v1/activity/acme/greet.json': 'Wrongword',
        [tool('get_prompt', { ...GREET, version: '1.1.0' })]: '"yanked":true',
        [tool('list_versions', GREET)]: 'Wrongword',
      },
      page: {
        '/acme/greet': 'Wrongword',
        '/acme/greet/v/1.1.0': 'Wrongword',
        '/acme/greet/versions': 'Wrongword',
        '/acme/greet/feed.xml': 'Wrongword',
        '/badges/acme/greet.svg': '1.0.0',
      },
      build: {
        '/api/v1/repos?q=zebrafish': '!acme/greet',
        '/data/v1/index.json': '!zebrafish',
        [tool('search_prompts', { q: 'zebrafish' })]: '!acme/greet',
      },
    },
  },
  {
    title: 'the end of a yank',
    method: 'DELETE',
    path: `${R}/greet/versions/1.1.0/yank`,
    body: {},
    reads: {
      copy: {
        [`${R}/greet`]: '"latest_version":"1.1.0"',
        [`${D}/greet/versions/pages/1.json`]: '!Wrongword',
        [tool('get_prompt', GREET)]: 'zebrafish',
      },
      build: { '/api/v1/repos?q=zebrafish': 'acme/greet' },
    },
  },
  {
    title: 'a deprecation',
    method: 'PATCH',
    path: `${R}/greet`,
    body: { status: 'deprecated', status_message: 'Olderword' },
    reads: {
      copy: { [`${R}/greet`]: 'Olderword', [tool('get_prompt', GREET)]: 'Olderword' },
      page: { '/acme/greet': 'Olderword', '/acme/greet/feed.xml': 'Olderword' },
      build: { '/api/v1/repos': 'Olderword', '/data/v1/index.json': 'Olderword', '/api/v1/users/acme': 'Olderword' },
    },
  },
  {
    title: 'an archived prompt',
    method: 'PATCH',
    path: `${R}/greet`,
    body: { status: 'archived' },
    reads: {
      copy: { [`${R}/greet`]: '"status":"archived"' },
      page: { '/acme/greet': 'archived' },
      build: {
        '/api/v1/repos?tag=new-tag': '"total":0',
        '/api/v1/tags': '!new-tag',
        '/api/v1/users/acme': '!"acme/greet"',
        '/data/v1/index.json': '!"full_name":"acme/greet"',
        '/tags/new-tag': '=404',
        '/sitemap.xml': '!/acme/greet<',
        [tool('list_tags', {})]: '!new-tag',
      },
    },
  },
  {
    title: 'another title and readme',
    method: 'PATCH',
    path: `${R}/helper`,
    body: { title: 'Renamedword', readme: 'Readmeword' },
    reads: {
      copy: { [`${R}/helper`]: 'Readmeword' },
      page: { '/acme/helper': 'Readmeword', '/acme/helper/feed.xml': 'Renamedword' },
      build: {
        '/api/v1/repos': 'Renamedword',
        '/data/v1/index.json': 'Renamedword',
        '/api/v1/users/acme': 'Renamedword',
        '/acme': 'Renamedword',
        '/': 'Renamedword',
      },
    },
  },
  {
    title: 'an owner',
    method: 'PATCH',
    path: '/api/v1/users/acme',
    body: { name: 'Ownerword', bio: 'Bioword' },
    reads: {
      copy: { '/api/v1/users/acme': 'Ownerword', '/data/v1/users/acme.json': 'Bioword' },
      page: { '/acme': 'Ownerword', '/acme/feed.xml': 'Ownerword' },
    },
  },
]

/** A word that is only in versions that are taken down: in 1.0.1 of `acme/kept`, and in all of `acme/gone`. */
export const TAKEN = 'zanzibarword'
const [SHOWN, HIDDEN] = [
  { before: TAKEN, after: `!${TAKEN}` },
  { before: TAKEN, after: '=404' },
]
const LISTED = { before: 'acme/gone', after: '!acme/gone' }

/** Where these versions are shown, and what is there after they were taken down. */
export const OF_TAKEN: Readonly<Record<string, { before: Said; after: Said }>> = {
  [`${R}/kept`]: SHOWN,
  [`${R}/kept/versions`]: SHOWN,
  [`${R}/kept/versions/1.0.1`]: HIDDEN,
  [`${R}/kept/raw`]: SHOWN,
  [`${R}/kept/raw?version=1.0.1`]: HIDDEN,
  [`${R}/gone`]: HIDDEN,
  [`${R}/gone/versions`]: HIDDEN,
  [`${R}/gone/versions/1.0.0`]: HIDDEN,
  [`${R}/gone/raw`]: HIDDEN,
  [`${D}/kept.json`]: SHOWN,
  [`${D}/kept/versions/1.0.1.json`]: HIDDEN,
  [`${D}/kept/raw/1.0.1.txt`]: HIDDEN,
  [`${D}/kept/changes.json`]: { before: '"to":"1.0.1"', after: '!"to":"1.0.1"' },
  [`${D}/gone.json`]: HIDDEN,
  [`${D}/gone/raw.txt`]: HIDDEN,
  '/acme/kept': SHOWN,
  '/acme/kept/v/1.0.1': HIDDEN,
  '/acme/kept/compare/1.0.0...1.0.1': HIDDEN,
  '/acme/kept/feed.xml': SHOWN,
  '/acme/gone': HIDDEN,
  '/acme/gone/feed.xml': HIDDEN,
  '/acme/feed.xml': SHOWN,
  '/feed.xml': SHOWN,
  '/api/v1/repos?sort=new': LISTED,
  [`/api/v1/repos?q=${TAKEN}`]: { before: 'acme/gone', after: '"total":0' },
  [`/search?q=${TAKEN}`]: { before: '/acme/gone', after: '!/acme/gone' },
  '/data/v1/index.json': LISTED,
  '/data/v1/users/acme.json': LISTED,
  [tool('get_prompt', { owner: 'acme', name: 'kept' })]: SHOWN,
  [tool('get_prompt', { owner: 'acme', name: 'kept', version: '1.0.1' })]: SHOWN,
  [tool('get_prompt', { owner: 'acme', name: 'gone' })]: SHOWN,
  [tool('list_versions', { owner: 'acme', name: 'kept' })]: SHOWN,
  [tool('search_prompts', { q: TAKEN })]: { before: 'acme/gone', after: '!acme/gone' },
}

/** Sends a write, as clients do again if the hub is busy. @returns its answer if it failed, and how long it took */
export async function send(base: string, token: string, { method, path, body }: Write) {
  for (;;) {
    const began = performance.now()
    const answer = await fetch(base + path, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await answer.text()
    if (answer.status !== 503)
      return { failure: answer.ok ? '' : `${answer.status} ${text}`, ms: performance.now() - began }
    await sleep(500)
  }
}

/** Reads every address at the same time. @returns those that do not say what they must, with what they say */
export async function findOutdated(base: string, reads: Readonly<Record<string, Said>>): Promise<string[]> {
  const found = await Promise.all(
    Object.entries(reads).map(async ([address, said]) => {
      const { status, text } = await read(base, address)
      const isAsSaid = said.startsWith('=')
        ? status === Number(said.slice(1))
        : said.startsWith('!')
          ? status === 200 && !text.includes(said.slice(1))
          : status === 200 && text.includes(said)
      return isAsSaid ? [] : [`${address}: expected ${said}, got ${status} ${text.slice(0, 300)}`]
    }),
  )
  return found.flat()
}

/** Reads an address, as clients do again if the hub is busy. */
async function read(base: string, address: string): Promise<{ status: number; text: string }> {
  const [, method, params] = /^mcp (\S+) (.*)$/.exec(address) ?? []
  const init = method !== undefined && {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: JSON.parse(params ?? '{}') }),
  }
  for (;;) {
    const answer = await (init ? fetch(`${base}/mcp`, init) : fetch(base + address))
    const text = unescaped(await answer.text(), method)
    if (answer.status !== 503 && answer.status !== 504) return { status: answer.status, text }
    await sleep(500)
  }
}

/** A result of a tool is JSON in a text as well; what counts is what it says. */
const unescaped = (text: string, method: string | undefined) =>
  method === undefined ? text : text.replaceAll('\\"', '"')
