// Lists the code examples that other tests run, and those that cannot run in a test, each with the reason.

/** An example that another test runs: its document, its language, and a part of its text if there are others. */
type ExampleElsewhere = readonly [document: string, language: string, has?: string]

/** By the test, which names the guide. */
export const ELSEWHERE: Readonly<Record<string, readonly ExampleElsewhere[]>> = {
  'tests/clients/sdks.ts': [
    ['filling', 'ts', 'import '],
    ['clients', 'ts', 'prompt.fill({ diff })'],
  ],
  'tests/site/filling-guide.test.ts': [
    ['filling', 'ts', 'const texts'],
    ['filling', 'python', 'texts = '],
  ],
  'tests/operate/guides.test.ts': [
    ['hosting-machine', 'sh'],
    ['hosting-machine', 'ini'],
    ['hosting-machine', 'caddyfile'],
  ],
  'tests/operate/mirror.test.ts': [['hosting', 'sh']],
  'tests/operate/netlify-guide.test.ts': [
    ['hosting-netlify', 'sh'],
    ['hosting-netlify', 'json'],
  ],
  'tests/channels/git.test.ts': [['hosting-netlify', 'yaml']],
  'tests/operate/company-guide.test.ts': [
    ['hosting-private', 'sh', 'runuser -u prompt-hub'],
    ['hosting-private', 'sh', '$HUB_URL/api'],
    ['hosting-private', 'ini', 'READERS='],
    ['hosting-private', 'caddyfile', 'prompts.acme.example {'],
  ],
  'tests/operate/private-guide.ts': [
    ['hosting-private', 'sh', '--url https://prompts.internal'],
    ['hosting-private', 'ini', 'SITE_URL=https://prompts.internal'],
    ['hosting-private', 'caddyfile', 'prompts.internal {'],
  ],
  'tests/clients/traces.ts': [['clients', 'ts', 'attributes()']],
  'tests/publish/webhooks.test.ts': [['webhooks', 'ts']],
  'tests/publish/moderation.test.ts': [['managing', 'yaml']],
  'tests/scripts/commands.test.ts': [['managing', 'sh', 'takedown']],
  'tests/operate/publishing-guide.test.ts': [['publishing', 'yaml', 'runs-on']],
}

/** Why an example cannot run in a test, by its document and a part of its text. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  'webhooks: curl -X PUT': 'It needs a receiver on the internet; tests/publish/webhooks.test.ts sets webhooks.',
  'webhooks: "label.moved",\n': 'It is a part of a message; tests/publish/webhooks.test.ts gets whole ones.',
  'managing: npm run rename': 'The other examples use the old names; tests/operate/operating.test.ts runs the command.',
  'managing: curl -X DELETE': 'The number is of no version here; tests/publish/manage.test.ts deletes versions.',
  'hosting-machine: prompt-hub-admin': 'It needs a release; tests/operate/operating.test.ts makes the package.',
  'README.md: npm ci && npm test': 'It runs every test, and so this one.',
  'README.md: claude mcp add': 'Claude Code cannot be installed without an account.',
  'hosting-private: claude mcp add': 'Claude Code cannot be installed without an account.',
  'hosting-private: CREATE USER': 'tests/operate/company-guide.test.ts has a database of its own.',
  'hosting-private: prompt-hub-2': 'It needs systemd; the test of the guide starts two hubs itself.',
  'docs/lock-file.md: "files"': 'It is a part of an entry; tests/clients/skill-folders.test.ts has whole ones.',
  'docs/lock-file.md: "publisher"': 'It is a part of an entry; tests/clients/publisher.test.ts has whole ones.',
  'production: HUB_TOKEN': 'The environment of these examples has a token.',
  'compose: Review the change': 'It is a file; the example after it publishes such a file.',
  'import: import https://cloud.langfuse.com':
    'It needs an account; tests/clients/npx-import.test.ts runs it with a server that answers like Langfuse.',
  'results: hubcli result': 'It needs promptfoo; tests/cli/result.test.ts reports such output.',
  'results: protected_labels': 'It is a part of a file; tests/publish/results.test.ts has such labels.',
  'results: name: evaluate': 'It is a workflow; tests/oidc/action.test.ts runs the action.',
  'results: prompt.results()': 'It needs results of a labelled version; tests/clients/outcome.ts reads such results.',
  'trust: gh attestation verify':
    'It needs gh and cosign; src/site/prompt/proof-commands.test.ts checks the words of the commands.',
  'filling: models:': 'It is a file; tests/models/models-file.test.ts has such files.',
  'filling: api.openai.com': 'It needs an account; tests/models/models-file.test.ts reads such a list.',
  'clients: waitUntil': 'It needs a worker; tests/clients/workers.ts runs one.',
  "filling: prompt.for('openai-chat'": 'It needs an account; tests/clients/sdks.ts makes such calls.',
  'filling: prompt.for_openai_chat': 'It needs an account; tests/clients/sdks.ts makes such calls.',
  'clients: @acme:registry': 'tests/channels/npm.test.ts installs with npm.',
  'clients: tracer.start_as_current_span':
    'It needs OpenTelemetry for Python; tests/clients/label-reads.test.ts tests attributes().',
  'updates: schedule:': 'It is a workflow; tests/cli/update-action.test.ts runs the action.',
  'updates: "extends"': 'It is a setting; tests/formats/renovate.test.ts reads the preset.',
  'updates: --deny network,danger':
    'It needs a version that can do more; tests/clients/publisher.test.ts publishes one.',
  'updates: "deny"': 'It is a part of a lock; tests/clients/publisher.test.ts has one.',
  'trust: now runs what it': 'It is a message; tests/clients/publisher.test.ts sees one.',
  'production: { key: user.id }': 'It needs a user; tests/clients/splits.test.ts chooses for many.',
  'publishing: content/{owner}': 'It is a list of paths.',
  'hosting: catalogue/': 'It is a list of folders.',
  'hosting-cluster: load balancer': 'It is a drawing.',
  'hosting-cluster: up --detach --build': 'It needs Docker; tests/operate/deploy.test.ts checks the files.',
  'hosting-cluster: pg_dump': 'It needs Docker; tests/operate/deploy.test.ts checks the files.',
  'hosting-cluster: git pull --ff-only': 'It needs Docker; tests/operate/deploy.test.ts checks the files.',
  'trust: quality   0 to 100': 'It is a formula; src/catalogue/ranking.test.ts computes it.',
  'settings: _FILE=': 'It is one setting; src/config.test.ts reads such files.',
  'skills: /api/apm': 'APM is in no registry here; tests/channels/apm.test.ts has its requests.',
  'skills: claude plugin marketplace add': 'It needs an account; tests/channels/git.test.ts clones with git.',
}
