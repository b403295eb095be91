// Lists the code examples that other tests run, and those that cannot run in a test, each with the reason.
/** An example that another test runs, which names the guide. */
interface ExampleElsewhere {
  document: string
  language: string
  has?: string
  test: string
}

/** An example that cannot run in a test. */
interface ExampleLeftOut {
  document: string
  has: string
  reason: string
}

export const ELSEWHERE: readonly ExampleElsewhere[] = [
  { document: 'filling', language: 'ts', has: 'import ', test: 'tests/clients/sdks.ts' },
  { document: 'clients', language: 'ts', has: 'prompt.fill({ diff })', test: 'tests/clients/sdks.ts' },
  { document: 'filling', language: 'ts', has: 'const texts', test: 'tests/site/filling-guide.test.ts' },
  { document: 'filling', language: 'python', has: 'texts = ', test: 'tests/site/filling-guide.test.ts' },
  ...['sh', 'ini', 'caddyfile'].map((language) => ({
    document: 'hosting-machine',
    language,
    test: 'tests/operate/guides.test.ts',
  })),
  { document: 'hosting', language: 'sh', test: 'tests/operate/mirror.test.ts' },
  ...['sh', 'json'].map((language) => ({
    document: 'hosting-netlify',
    language,
    test: 'tests/operate/netlify-guide.test.ts',
  })),
  { document: 'hosting-netlify', language: 'yaml', test: 'tests/channels/git.test.ts' },
  ...[
    ['sh', 'runuser -u prompt-hub'],
    ['sh', '$HUB_URL/api'],
    ['ini', 'READERS='],
    ['caddyfile', 'prompts.acme.example {'],
  ].map(([language = '', has]) => ({
    document: 'hosting-private',
    language,
    has,
    test: 'tests/operate/company-guide.test.ts',
  })),
  ...[
    ['sh', '--url https://prompts.internal'],
    ['ini', 'SITE_URL=https://prompts.internal'],
    ['caddyfile', 'prompts.internal {'],
  ].map(([language = '', has]) => ({
    document: 'hosting-private',
    language,
    has,
    test: 'tests/operate/private-guide.ts',
  })),
  { document: 'clients', language: 'ts', has: 'attributes()', test: 'tests/clients/traces.ts' },
  { document: 'webhooks', language: 'ts', test: 'tests/publish/webhooks.test.ts' },
  { document: 'managing', language: 'yaml', test: 'tests/publish/moderation.test.ts' },
  { document: 'managing', language: 'sh', has: 'takedown', test: 'tests/scripts/commands.test.ts' },
  { document: 'publishing', language: 'yaml', has: 'runs-on', test: 'tests/operate/publishing-guide.test.ts' },
]

export const LEFT_OUT: readonly ExampleLeftOut[] = [
  {
    document: 'webhooks',
    has: 'curl -X PUT',
    reason: 'It needs a receiver on the internet; tests/publish/webhooks.test.ts sets webhooks.',
  },
  {
    document: 'webhooks',
    has: '"label.moved",\n',
    reason: 'It is a part of a message; tests/publish/webhooks.test.ts gets whole ones.',
  },
  {
    document: 'managing',
    has: 'npm run rename',
    reason: 'The other examples use the old names; tests/operate/operating.test.ts runs the command.',
  },
  {
    document: 'managing',
    has: 'curl -X DELETE',
    reason: 'The number is of no version here; tests/publish/manage.test.ts deletes versions.',
  },
  {
    document: 'hosting-machine',
    has: 'prompt-hub-admin',
    reason: 'It needs a release; tests/operate/operating.test.ts makes the package.',
  },
  { document: 'README.md', has: 'npm ci && npm test', reason: 'It runs every test, and so this one.' },
  { document: 'README.md', has: 'claude mcp add', reason: 'Claude Code cannot be installed without an account.' },
  {
    document: 'hosting-private',
    has: 'claude mcp add',
    reason: 'Claude Code cannot be installed without an account.',
  },
  {
    document: 'hosting-private',
    has: 'CREATE USER',
    reason: 'tests/operate/company-guide.test.ts has a database of its own.',
  },
  {
    document: 'hosting-private',
    has: 'prompt-hub-2',
    reason: 'It needs systemd; the test of the guide starts two hubs itself.',
  },
  {
    document: 'docs/lock-file.md',
    has: '"files"',
    reason: 'It is a part of an entry; tests/clients/skill-folders.test.ts has whole ones.',
  },
  {
    document: 'docs/lock-file.md',
    has: '"publisher"',
    reason: 'It is a part of an entry; tests/clients/publisher.test.ts has whole ones.',
  },
  { document: 'production', has: 'HUB_TOKEN', reason: 'The environment of these examples has a token.' },
  {
    document: 'compose',
    has: 'Review the change',
    reason: 'It is a file; the example after it publishes such a file.',
  },
  {
    document: 'import',
    has: 'import https://cloud.langfuse.com',
    reason: 'It needs an account; tests/clients/npx-import.test.ts runs it with a server that answers like Langfuse.',
  },
  {
    document: 'results',
    has: 'hubcli result',
    reason: 'It needs promptfoo; tests/cli/result.test.ts reports such output.',
  },
  {
    document: 'results',
    has: 'protected_labels',
    reason: 'It is a part of a file; tests/publish/results.test.ts has such labels.',
  },
  {
    document: 'results',
    has: 'name: evaluate',
    reason: 'It is a workflow; tests/oidc/action.test.ts runs the action.',
  },
  {
    document: 'results',
    has: 'prompt.results()',
    reason: 'It needs results of a labelled version; tests/clients/outcome.ts reads such results.',
  },
  {
    document: 'trust',
    has: 'gh attestation verify',
    reason: 'It needs gh and cosign; src/site/prompt/proof-commands.test.ts checks the words of the commands.',
  },
  { document: 'filling', has: 'models:', reason: 'It is a file; tests/models/models-file.test.ts has such files.' },
  {
    document: 'filling',
    has: 'api.openai.com',
    reason: 'It needs an account; tests/models/models-file.test.ts reads such a list.',
  },
  {
    document: 'clients',
    has: 'waitUntil',
    reason: 'It needs a worker; tests/clients/workers.ts runs one.',
  },
  ...["prompt.for('openai-chat'", 'prompt.for_openai_chat'].map((has) => ({
    document: 'filling',
    has,
    reason: 'It needs an account; tests/clients/sdks.ts makes such calls.',
  })),
  {
    document: 'clients',
    has: '@acme:registry',
    reason: 'tests/channels/npm.test.ts installs with npm.',
  },
  {
    document: 'clients',
    has: 'tracer.start_as_current_span',
    reason: 'It needs OpenTelemetry for Python; tests/clients/label-reads.test.ts tests attributes().',
  },
  {
    document: 'updates',
    has: 'schedule:',
    reason: 'It is a workflow; tests/cli/update-action.test.ts runs the action.',
  },
  {
    document: 'updates',
    has: '"extends"',
    reason: 'It is a setting; tests/formats/renovate.test.ts reads the preset.',
  },
  {
    document: 'updates',
    has: '--deny network,danger',
    reason: 'It needs a version that can do more; tests/clients/publisher.test.ts publishes one.',
  },
  { document: 'updates', has: '"deny"', reason: 'It is a part of a lock; tests/clients/publisher.test.ts has one.' },
  { document: 'trust', has: 'now runs what it', reason: 'It is a message; tests/clients/publisher.test.ts sees one.' },
  {
    document: 'production',
    has: '{ key: user.id }',
    reason: 'It needs a user; tests/clients/splits.test.ts chooses for many.',
  },
  { document: 'publishing', has: 'content/{owner}', reason: 'It is a list of paths.' },
  { document: 'hosting', has: 'catalogue/', reason: 'It is a list of folders.' },
  { document: 'hosting-cluster', has: 'load balancer', reason: 'It is a drawing.' },
  ...['up --detach --build', 'pg_dump', 'git pull --ff-only'].map((has) => ({
    document: 'hosting-cluster',
    has,
    reason: 'It needs Docker; tests/operate/deploy.test.ts checks the files.',
  })),
  {
    document: 'trust',
    has: 'quality   0 to 100',
    reason: 'It is a formula; src/catalogue/ranking.test.ts computes it.',
  },
  { document: 'settings', has: '_FILE=', reason: 'It is one setting; src/config.test.ts reads such files.' },
  {
    document: 'skills',
    has: '/api/apm',
    reason: 'APM is in no registry here; tests/channels/apm.test.ts has its requests.',
  },
  {
    document: 'skills',
    has: 'claude plugin marketplace add',
    reason: 'It needs an account; tests/channels/git.test.ts clones with git.',
  },
]
