// Says how the code examples of the README and the guides run, and why some do not.

/** How an example runs. */
export interface ExampleRun {
  /** Shell commands that prepare its folder, once. */
  before?: string
  /** A file to which the example is written, instead of running it; then `andRun` runs. */
  save?: string
  andRun?: string
  /** Lines before and after the example, in its own language. */
  around?: readonly [string, string]
  /** The checkout of the hub's code, the project with the installed libraries, a folder of content, or that of one guide; by default, an empty folder. */
  place?: 'checkout' | 'libraries' | 'content' | 'production'
  /** What it prints. */
  says: RegExp
  /** Whether it does the same while the hub is away. */
  isOffline?: true
}

const PUBLISHED = /Published +1 new/
/** Imports into a content folder of its own, so that no import meets the prompts of another. */
const ALONE = ['export CONTENT_DIR=$PWD/imported/content; rm -rf imported; mkdir -p imported/content\n', ''] as const
const VERSION = 'published_at: "2026-11-20T10:00:00Z"\npublished_by: octocat\nchangelog: First version\n'

/** Checks the content folder, once all examples of its files are there. */
const CHECK = 'export CONTENT_DIR="$PWD/content"; cd "$CHECKOUT"; npm run --silent check:content'
/** Reviews a diff, with the variables of the versions before it. */
const REVIEW = 'Review {{diff}}, which is {{language}}: {{intent}}. Look at {{focus}}'
/** Writes the folder of a skill. */
const SKILL_FOLDER = `mkdir -p code-review && printf -- '---\\ndescription: Reviews a diff.\\n---\\n${REVIEW} with a.md.\\n' >code-review/SKILL.md && echo x >code-review/a.md`
const SEND = `curl -fsS -H "Authorization: Bearer $HUB_TOKEN" -H 'Content-Type: application/json'`

/** By the document and a part of the text, in the order in which they run: the libraries are installed first. */
export const RUN: Readonly<Record<string, ExampleRun>> = {
  'clients: npm install https': { place: 'libraries', says: /added 1 package/ },
  'clients: pip install': { place: 'libraries', says: /Successfully installed/ },
  'README.md: curl -s localhost': { says: /finding[\s\S]*severity/i },
  'README.md: hubcli.sha256': { says: /hubcli: OK/ },
  'README.md: hubcli cat': { says: /severity[\s\S]*acme\/code-review 1\.2\.0 prompts\/acme/i },
  'README.md: hubcli push': { place: 'checkout', says: /^1\.0\.0 http.*short-summary/m },
  'docs/lock-file.md: "lockfile": 1': {
    save: 'prompts.lock',
    andRun: '! hubcli verify 2>&1',
    says: /prompts\/acme\/code-review\.md/,
    isOffline: true,
  },
  'compose: hubcli push': {
    before: `printf 'Be brief.\\n' >house-style.md; printf '{{include "acme/house-style@^1"}}\\nReview {{diff}}.\\n' >review.md`,
    says: /^1\.0\.0 .*house-style[\s\S]*^1\.0\.0 .*review/m,
  },
  'compose: hubcli recompose': { says: /^1\.0\.0 http/m },
  'compose: hubcli export': { around: ['', '\ngrep include review.md'], says: /include "acme\/house-style@\^1"/ },
  'compose: /dependents': {
    // The list is that of the last build.
    around: [
      'list() {\n',
      '\n}\nfor try in $(seq 100); do list | grep -q acme/review && break; list >/dev/null || break; sleep 0.1; done; list',
    ],
    says: /"full_name":"acme\/review"/,
  },
  'results: curl -X PUT': { says: /"suite":"quality"/ },
  'filling: You answer customers': {
    save: 'prompt.md',
    andRun: 'hubcli push acme/help-desk-one prompt.md "First version" minor --format chat',
    says: /^1\.0\.0 /m,
  },
  'filling: hubcli push': { before: `printf '{{role "user"}}\\n{{question}}\\n' >prompt.md`, says: /^1\.0\.0 /m },
  'filling: "messages"': {
    save: 'body.json',
    andRun: `${SEND} --data-binary @body.json "$HUB/api/v1/repos/acme/help-desk-two/versions"`,
    says: /"format":"chat"/,
  },
  'filling: prompt.for_anthropic(question': {
    place: 'libraries',
    around: [
      `from types import SimpleNamespace
from prompt_hub import PromptHub
hub, question, history, model = PromptHub(), "Refunds?", [], "none"
# The providers' packages are not installed here, so the calls are printed.
openai = SimpleNamespace(chat=SimpleNamespace(completions=SimpleNamespace(create=lambda **given: print(given))))
anthropic = SimpleNamespace(messages=SimpleNamespace(create=lambda **given: print(given)))
`,
      '',
    ],
    says: /'content': 'Refunds\?'[\s\S]*'max_tokens': 1024/,
  },
  'filling: hubcli render': { before: `echo '[]' >earlier.json`, says: /"content": ?"Refunds\?"/ },
  'results: async ({ vars })': {
    place: 'libraries',
    before: 'hubcli label acme/help-desk staging 1.0.0',
    save: 'prompt.mjs',
    // As promptfoo calls it, with a variable that the prompt has not.
    andRun: `node -e "import('./prompt.mjs').then((file) => file.default({ vars: { question: 'Refund?', other: 1 } })).then(console.log)"`,
    says: /role: 'user', content: 'Refund\?'/,
  },
  'clients: onEvent': {
    place: 'libraries',
    around: [`const diff = 'one line'\n`, 'console.log(text)\n'],
    says: /one line/,
  },
  'clients: on_event=print': { place: 'libraries', around: ['diff = "one line"\n', 'print(text)\n'], says: /one line/ },
  'clients: await skill.file(path)': {
    place: 'libraries',
    around: [
      `import { PromptHub } from 'prompt-hub-client'\nconst hub = new PromptHub()\n`,
      'console.log(skill.files.length)\n',
    ],
    says: /^\d+$/m,
  },
  'clients: skill.file(file.path)': {
    place: 'libraries',
    around: ['from prompt_hub import PromptHub\nhub = PromptHub()\n', 'print(len(skill.files))\n'],
    says: /^\d+$/m,
  },
  'updates: npx prompt-hub add': { place: 'libraries', says: /acme\/code-review 2\.\d\.\d/ },
  'updates: openLock': {
    place: 'libraries',
    around: [
      `import { PromptHub } from 'prompt-hub-client'\n`,
      `const prompt = await hub.get('acme/code-review')\nconsole.log(prompt.source, prompt.version)\n`,
    ],
    says: /lock 2\.\d\.\d/,
    isOffline: true,
  },
  'updates: PromptHub(lock="prompts.lock"': {
    place: 'libraries',
    around: [
      'from prompt_hub import PromptHub\n',
      'prompt = hub.get("acme/code-review")\nprint(prompt.source, prompt.version)\n',
    ],
    says: /^lock 2\.\d\.\d$/m,
    isOffline: true,
  },
  'clients: OpenAI().responses.create(model': {
    place: 'libraries',
    around: [
      `from types import SimpleNamespace
from prompt_hub import PromptHub
diff = "one line"
OpenAI = lambda: SimpleNamespace(responses=SimpleNamespace(create=lambda **given: given["input"]))
`,
      'print(answer)\n',
    ],
    says: /one line/,
  },
  'publishing: name: depth': { place: 'content', says: /^$/, save: 'content/octocat/review/versions/1.0.0.md' },
  'publishing: You review code': {
    save: 'prompt.md',
    andRun: 'hubcli push acme/chat-example prompt.md "First version" minor --format chat',
    says: /^1\.0\.0 /m,
  },
  'publishing: npm run new': {
    place: 'checkout',
    says: /my-prompt\/versions\/1\.0\.1\.md/,
    around: ['export CONTENT_DIR=$(mktemp -d)/content; mkdir -p "$CONTENT_DIR"\n', ''],
  },
  'publishing: check:content': { place: 'checkout', says: /no problems/ },
  'hosting: tagline': {
    place: 'content',
    save: 'content/site.yml',
    says: /^$/,
    before: `echo '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>' >content/logo.svg`,
  },
  'import: npx prompt-hub import prompts/': {
    before: 'mkdir prompts; echo Review. >prompts/from-a-file.md',
    says: /Would publish 1 new[\s\S]*Published +1 new/,
  },
  'import: order-helper.json': {
    before: `echo '{"object":"response","prompt":{"id":"pmpt_123"},"instructions":"Help with orders."}' >order-helper.json`,
    says: PUBLISHED,
  },
  'import: api/public/v2/prompts/code-review': {
    before: `mkdir "$CHECKOUT/langfuse-api"; echo '{"name":"code-review-two","type":"text","prompt":"Review {{code}}.","version":1,"labels":[],"tags":[],"config":{}}' >"$CHECKOUT/langfuse-api/code-review"`,
    says: PUBLISHED,
  },
  'import: my-prompts/': {
    before: `mkdir my-prompts; echo 'Translate {{text}}.' >my-prompts/translate-text.md`,
    says: PUBLISHED,
  },
  'import: prompts.csv': { before: `printf 'act,prompt\\nThree,Be three.\\n' >prompts.csv`, says: PUBLISHED },
  'import: .claude/commands': {
    before: `mkdir -p .claude/commands .claude/skills/tidy .github/prompts; echo 'Fix $ARGUMENTS.' >.claude/commands/fix-it.md; printf -- '---\\nname: tidy\\ndescription: Tidies.\\n---\\nTidy up.\\n' >.claude/skills/tidy/SKILL.md; printf -- '---\\nmode: ask\\n---\\nReview \${input:file}.\\n' >.github/prompts/review-file.prompt.md`,
    says: /Published +2 new[\s\S]*Published +1 new/,
  },
  'import: check:content': {
    place: 'checkout',
    before: 'mkdir prompts; echo Review. >prompts/one.md',
    around: ALONE,
    says: /repositor(?:y|ies) checked: no problems/,
  },
  'import: hubcli export': { says: /code-review\.prompty/, around: ['', 'ls\n'] },
  'import: npm run export -- --format langfuse': {
    place: 'checkout',
    around: ['', 'ls langfuse\n'],
    says: /code-review/,
  },
  'production: title: Order status': { place: 'production', save: 'prompts/order-status.md', says: /^$/ },
  'production: push prompts/*.md': {
    place: 'production',
    says: /^acme\/order-status 1\.0\.0\n[\s\S]*^acme\/order-status 1\.0\.0 http/m,
  },
  "production: get('acme/order-status@^1'": {
    place: 'libraries',
    around: [`const order = '4711'\nconst question = 'Where is it?'\n`, 'console.log(prompt.source, text)\n'],
    says: /^network Answer the customer[\s\S]*4711/,
  },
  'production: get("acme/order-status@^1"': {
    place: 'libraries',
    around: ['order, question = "4711", "Where is it?"\n', 'print(prompt.source, text)\n'],
    says: /^network Answer the customer[\s\S]*4711/,
  },
  'production: hubcli add': {
    place: 'production',
    before: 'git init -q',
    says: /acme\/order-status 1\.0\.0 prompts\/acme\/order-status\.md/,
  },
  'production: label acme/order-status production 1.0.0\n': { place: 'production', says: /production/ },
  'production: hubcli verify': { place: 'production', says: /unchanged/ },
  'production: hubcli versions': {
    place: 'production',
    before: 'echo Name the delivery day. >>prompts/order-status.md',
    says: /1\.0\.1[\s\S]*production/,
  },
  'production: --split 1.0.1=10': {
    place: 'production',
    before: 'hubcli label acme/order-status production 1.0.0',
    says: /production 1\.0\.0, 1\.0\.1 for 10 %/,
  },
  'production: production --undo': { place: 'production', says: /production 1\.0\.0\n/ },
  'reading: raw?version=1.0.0': { before: 'hubcli label acme/code-review production 2.0.0', says: /"variables":/ },
  'reading: q=review': { says: /"meta":/ },
  'managing: hubcli yank': {
    before: 'echo When to use it. >README.md; echo Better. >b.md; hubcli push acme/better-review b.md First minor',
    says: /1\.1\.0 yanked[\s\S]*1\.1\.0 restored[\s\S]*deprecated[\s\S]*active[\s\S]*changed/,
  },
  'managing: curl -X PUT': {
    before: 'hubcli label acme/code-review production 1.1.0',
    says: /"labels":\{"production":\{"version":"1\.2\.0"/,
  },
  'managing: users/acme': { says: /"name":"Acme"/ },
  'managing: new HubManager': {
    place: 'libraries',
    around: [`import { HubManager } from 'prompt-hub-client'\n`, `console.log('done')\n`],
    says: /done/,
  },
  'managing: HubManager(os': {
    place: 'libraries',
    around: ['import os\nfrom prompt_hub import HubManager\n', 'print("done")\n'],
    says: /done/,
  },
  'publishing: title: Release note': {
    save: 'prompt-file.md',
    andRun: `curl -fsS -H "Authorization: Bearer $HUB_TOKEN" -H 'Content-Type: text/markdown' --data-binary @prompt-file.md "$HUB/api/v1/repos/acme/commit-message-file/versions?dry_run=true"`,
    says: /"options":\["short","long"\]/,
  },
  'publishing: @release-note.md': {
    before: "printf -- '---\\ntags: [git]\\n---\\nWrite a {{style}} release note.\\n' >release-note.md",
    says: /"changelog":"Shorter"/,
  },
  'publishing: hubcli push prompts/': {
    before: 'mkdir prompts; echo Be brief. >prompts/brief-note.md; echo Be kind. >prompts/kind-note.md',
    says: /^acme\/brief-note 1\.0\.0 http[\s\S]*^acme\/kind-note 1\.0\.0 http/m,
  },
  'managing: npm run people': { place: 'checkout', says: /mallory/ },
  'hosting-private: -- invite': {
    place: 'checkout',
    around: ['export READ_ACCESS=members SITE_URL=https://hub.example\n', ''],
    says: /auth\/invitation\?key=ada/,
  },
  'skills: npx skills add': { says: /code-review/i },
  'skills: --as skill': { says: /\.agents\/skills\/code-review\n/ },
  'skills: hubcli check code-review': {
    before: SKILL_FOLDER,
    says: /^acme\/code-review 2\.\d+\.\d+[\s\S]*^2\.\d+\.\d+ http/m,
  },
  'skills: tar -czf': { before: `${SKILL_FOLDER}; echo y >code-review/b.md`, says: /"path":"b\.md"/ },
  'skills: curl -fsS --create-dirs': {
    around: ['', 'head -2 .*/skills/code-review/SKILL.md\n'],
    says: /name: "code-review"[\s\S]*name: "code-review"/,
  },
  'skills: --skill "Reviews': { before: `echo '${REVIEW}.' >review.md`, says: /^2\.\d\.\d /m },
  'skills: license: MIT': {
    place: 'content',
    save: 'content/acme/one/versions/1.0.0.md',
    around: [`---\n${VERSION}`, '---\nReview {{diff}}.\n'],
    says: /^$/,
  },
  'publishing: trusted_publishers:': {
    place: 'content',
    save: 'content/octo/index.md',
    andRun: CHECK,
    around: ['---\n', '---\n'],
    says: /2 repositories checked: no problems/,
  },
  'publishing: check-here.ts': {
    before: `ln -s "$CHECKOUT" hub; echo 'Review {{diff}}.' >code-review.md`,
    says: /^[0-9a-f]{64} {2}octo\/code-review\n[0-9a-f]{64} {2}octo\/code-review#manifest\n$/,
  },
  'publishing: token=$(curl': { around: ['', 'echo "$token"\n'], says: /^token for http:\/\/localhost:\d+\n$/ },
}

/** Why an example does not run here, by its document and a part of its text, which may begin with its fence. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  'filling: ```ts\nimport': 'tests/clients/sdks.ts runs it.',
  'clients: prompt.fill({ diff })': 'tests/clients/sdks.ts runs it.',
  'clients: span.setAttributes': 'tests/clients/traces.ts runs it.',
  'clients: metadata: prompt.attributes()': 'tests/clients/traces.ts runs it.',
  'filling: const texts': 'tests/site/filling-guide.test.ts runs it.',
  'filling: ```python\ntexts = ': 'tests/site/filling-guide.test.ts runs it.',
  'hosting: ```sh': 'tests/operate/mirror.test.ts follows the guide.',
  'hosting-machine: ```sh': 'tests/operate/guides.test.ts follows the guide.',
  'hosting-machine: ```ini': 'tests/operate/guides.test.ts follows the guide.',
  'hosting-machine: ```caddyfile': 'tests/operate/guides.test.ts follows the guide.',
  'hosting-netlify: ```sh': 'tests/operate/netlify-guide.test.ts follows the guide.',
  'hosting-netlify: ```json': 'tests/operate/netlify-guide.test.ts follows the guide.',
  'hosting-netlify: ```yaml': 'tests/channels/git.test.ts runs the workflow.',
  'hosting-private: runuser -u prompt-hub': 'tests/operate/company-guide.test.ts follows the guide.',
  'hosting-private: $HUB_URL/api': 'tests/operate/company-guide.test.ts follows the guide.',
  'hosting-private: READERS=': 'tests/operate/company-guide.test.ts follows the guide.',
  'hosting-private: prompts.acme.example {': 'tests/operate/company-guide.test.ts follows the guide.',
  'hosting-private: --url https://prompts.internal': 'tests/operate/private-guide.ts follows the guide.',
  'hosting-private: SITE_URL=https://prompts.internal': 'tests/operate/private-guide.ts follows the guide.',
  'hosting-private: prompts.internal {': 'tests/operate/private-guide.ts follows the guide.',
  'managing: ```yaml': 'tests/publish/moderation.test.ts reads it.',
  'managing: takedown': 'tests/scripts/commands.test.ts runs it.',
  'publishing: runs-on': 'tests/operate/publishing-guide.test.ts runs the workflows.',
  'webhooks: ```ts': 'tests/publish/webhooks.test.ts runs it.',
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
