// A content folder with hostile text in every field.
import { hash } from 'node:crypto'
import { formatVersionFile } from '../../src/domain/content/prompt-file.ts'
import { formatResultFile } from '../../src/domain/content/result-file.ts'
import { writeFiles } from '../write-files.ts'

/** The name of a global variable that a hostile field would set if it were executed. */
export const MARKER = 'hostileFieldRan'

/**
 * Returns a string that breaks out of any context on a page unless it is escaped. @param field the name of the field,
 * which makes the string unique
 */
export function hostile(field: string): string {
  const run = `window.${MARKER}='${field}'`
  return `${field}</script><script>${run}</script>"'><svg onload="${run}"><a href="javascript:${run}">x</a>\u2028{{x}} &amp; $& \`\${1}\``
}

/**
 * Content that an HTML parser would change unless the page prevents it: a BOM, a leading newline, CRLF, a form feed, a
 * closing `pre` tag.
 */
export const CONTENT = `\uFEFF\n${hostile('content')}\r\n</code></pre><b>&lt;\f\t{{language}} {{ tone }} {{language}}{{  other  }}\r\n{{count}} {{strict}} {{free}}`

/** Content with invisible characters: a zero-width space, a bidi override, a tag character. */
export const UNSEEN_CONTENT = 'a\u200Bb \u202Ereversed\u202C {{x}} \u{E0041}end\n# heading\n<tag>\n'

/** Enough prompts with the same tag to fill more than one page. */
export const PLAIN_COUNT = 65

/** Enough lines to make the page collapse the content. */
export const LONG_LINES = 60

/** The page of a prompt with hostile text in every field, and the comparison of two of its versions. */
export const REPOSITORY = '/mallory/hostile'
export const COMPARE = `${REPOSITORY}/compare/1.0.1...1.1.0`

/** A line of a script among the files of a skill. */
export const SCRIPT_LINE = 'echo "<img src=x onerror=window.hostileFieldRan=1>"'

/** Writes the content folder. */
export function writeHostileContent(dir: string): void {
  const write = (path: string, text: string) => {
    writeFiles(dir, { [path]: text })
  }
  const front = (values: object, body: string) => `---\n${formatJson(values)}\n---\n${body}`
  const version = (content: string, more: object = {}) =>
    formatVersionFile({ published_at: '2026-10-01T10:00:00Z', published_by: 'mallory', content, ...more })

  const website = 'https://x.example/?"><svg/onload=window.hostileFieldRan=1>'
  write('mallory/index.md', front({ name: hostile('name'), website }, README))
  write(
    'mallory/hostile/index.md',
    front(
      {
        title: hostile('title').slice(0, 200),
        description: hostile('description'),
        tags: ['evil', 'many'],
        license: 'MIT',
        status: 'deprecated',
        status_message: hostile('status_message'),
        replaced_by: 'mallory/plain-1',
        yanked: { '1.0.1': hostile('yank_reason') },
        labels: { production: '1.0.0' },
      },
      README,
    ),
  )
  write('mallory/hostile/versions/1.0.0.md', version('first'))
  write('mallory/hostile/versions/1.0.1.md', version('bad', { published_at: '2026-10-02T10:00:00Z' }))
  write(
    'mallory/hostile/versions/1.1.0.md',
    version(CONTENT, {
      published_at: '2026-11-01T10:00:00Z',
      changelog: `${hostile('changelog')}\nsecond line`,
      skill: { description: hostile('skill').replace(/[<>]/g, '') },
      parameters: { [hostile('key')]: hostile('parameter'), temperature: 0.2 },
      variables: [
        {
          name: 'language',
          description: hostile('variable'),
          default: hostile('default'),
          example: hostile('example'),
        },
        { name: 'tone', type: 'enum', required: false, options: ['calm', hostile('option')], example: 'calm' },
        { name: 'count', type: 'integer', default: 3 },
        { name: 'strict', type: 'boolean', example: true },
        { name: 'free', example: `two\nlines ${hostile('example')}` },
      ],
    }),
  )
  write(
    'mallory/hostile/results/1.1.0/quality.yml',
    formatResultFile({
      content_sha256: hash('sha256', CONTENT),
      passed: 1234,
      failed: 2,
      skipped: 3,
      score: 0.98,
      url: website,
      model: hostile('model').slice(0, 200),
      at: '2026-11-02T10:00:00Z',
      reported_by: 'mallory',
      provenance: {
        issuer: 'https://token.actions.githubusercontent.com',
        workflow: hostile('workflow'),
        ref: 'refs/heads/main',
        repository: hostile('repository'),
        sha: hostile('sha'),
        run_id: '1',
      },
    }),
  )
  write('mallory/gone/index.md', front({ tags: ['evil', 'only-here'], yanked: { '1.0.0': 'a mistake' } }, ''))
  write('mallory/gone/versions/1.0.0.md', version('all yanked'))
  write(
    'mallory/old/index.md',
    front({ status: 'archived', status_message: hostile('archived'), replaced_by: 'mallory/hostile' }, ''),
  )
  write('mallory/old/versions/1.0.0.md', version('archived content'))
  // This prompt is archived, so that no list links to it. A test opens its page only after publishing to it.
  write('mallory/unvisited/index.md', front({ status: 'archived' }, ''))
  write('mallory/unvisited/versions/1.0.0.md', version('first content'))
  // On a small screen, the links below this owner's name are on adjacent lines.
  write('judy/index.md', front({ website: 'https://judy.example' }, ''))
  write('mallory/unseen/index.md', front({ title: 'Unseen', tags: ['evil'], forked_from: 'mallory/hostile@1.0.0' }, ''))
  write('mallory/unseen/versions/1.0.0.md', version('seen\n# heading\n'))
  // U+FFFF is not a valid XML character, but older changelogs may contain it.
  const notXml = { published_at: '2026-10-02T10:00:00Z', changelog: 'no\uffffcharacter\ufffe of XML' }
  write('mallory/unseen/versions/1.0.1.md', version(UNSEEN_CONTENT, notXml))
  const long = 'averylongwordwithoutanybreak'.repeat(7)
  write(
    'trent/long/index.md',
    front({ title: long, description: long.repeat(2), tags: ['many'] }, `# ${long}\n\n${long}`),
  )
  write(
    'trent/long/versions/999999.999999.999999.md',
    version(`${long.repeat(20)}\n${'line\n'.repeat(LONG_LINES)}`, {
      published_by: 'a'.repeat(39),
      skill: { description: long },
      changelog: long,
      published_at: '2026-09-01T10:00:00Z',
    }),
  )
  const folder = 'trent/long/versions/999999.999999.999999'
  write(`${folder}/scripts/run.sh`, `#!/bin/sh\n${SCRIPT_LINE}\nrm \u202etxt.a\n`)
  write(`${folder}/${'a'.repeat(100)}/page.html`, `<script>window.hostileFieldRan=1</script>${long.repeat(3)}`)
  write(`${folder}/long.txt`, 'x'.repeat(100_000))
  for (let number = 1; number <= PLAIN_COUNT; number++) {
    const day = new Date(Date.UTC(2026, 0, number)).toISOString()
    write(`mallory/plain-${number}/index.md`, front({ tags: ['many'] }, ''))
    write(`mallory/plain-${number}/versions/1.0.0.md`, version(`plain content ${number}`, { published_at: day }))
  }
}

const README = `# ${hostile('readme')}

[a](javascript:window.${MARKER}=1) [b](data:text/html,<script>1</script>) [c](https://x.example/"onmouseover="window.${MARKER}=1)

![pixel](https://x.example/p.png)

<img src=x onerror="window.${MARKER}=1">

| wide | ${'table | '.repeat(30)}
|${'---|'.repeat(31)}
| ${'cell | '.repeat(31)}

\`\`\`js
${hostile('fence')}
\`\`\`
`

/** Formats front matter as JSON, which is valid YAML. U+2028 is escaped because YAML treats it as a line break. */
function formatJson(values: object): string {
  return JSON.stringify(values).replaceAll('\u2028', '\\u2028')
}
