// Checks that every limit that a client can hit is defined in `LIMITS`. Every other constant whose name suggests a
// limit is listed here with the reason.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { words } from './words.ts'

/**
 * Folders in which a limit can be part of the API. Limits in stores, host and pages are internal, and durations are
 * only for tuning.
 */
const ROOMS = words`
  packages/prompt-formats src/account src/catalogue src/concurrency src/domain src/editor src/files src/hub
  src/review/rules src/routes src/server src/skills
`

/** Constants that limit the amount of work or the length of a message, but reject nothing. */
const TUNING: Readonly<Record<string, string>> = {
  'src/domain/access/readers.ts MAX_READERS': 'the operator’s own setting',
  'src/domain/api/envelope.ts MAX_DEPENDENTS': 'prompts that one list has; it says how many there are',
  'src/domain/content/trusted-root-file.ts MAX_DEPTH': 'the operator’s own file, checked with the content',
  'packages/prompt-formats/source/references.ts MAX_REFERENCES': 'how much one import reads',
  'src/domain/catalogue/activity.ts MAX_ACTIVITIES': 'entries of a list',
  'src/domain/catalogue/change-mark.ts MAX_NAMES_CHARACTERS': 'more than a commit of the hub has',
  'src/server/publish/labels-together.ts MAX_NAMED': 'prompts that the subject of a commit names',
  'src/domain/content/marketplace.ts MAX_PLUGINS': 'entries of a list',
  'src/domain/api/data-paths.ts MAX_RECENT': 'as many as a feed has entries',
  'src/domain/compose/include-lines.ts MAX_LINE_CHARACTERS': 'longer than any line with valid names',
  'src/domain/compose/resolve.ts MAX_CONCERNS': 'findings that a warning names',
  'src/domain/content/filling.ts MAX_OPTIONS': 'options that a message names',
  'src/server/read/renamed.ts MAX_NAMES': 'renames that one redirect follows',
  'src/domain/content/skill-descriptions.ts MAX_COMPARED': 'the other skills are not compared',
  'src/domain/content/skill-descriptions.ts SHOWN_CHARACTERS': 'a longer description causes a warning',
  'src/domain/content/skill.ts MAX_INTERPOLATIONS': 'commands that a warning names',
  'src/account/visit.ts MAX_FORM_BYTES': 'a form; the longest of ours has a few thousand characters',
  'src/account/visit.ts MAX_FORM_FIELDS': 'fields of a form; no page of ours has half as many',
  'src/editor/form/pasted-file.ts MAX_PASTED_BYTES': 'a larger file is for the import script, as its message says',
  'packages/prompt-formats/source/portable.ts MAX_FINDINGS': 'findings that an import or export names',
  'packages/prompt-formats/source/source-file.ts MAX_PROMPTS': 'how much one import reads',
  'packages/prompt-formats/source/plain.ts MAX_ROWS': 'how much one import reads',
  'packages/prompt-formats/source/foreign-yaml.ts MAX_CHECKED_VALUES':
    'values that are not valid YAML; with more, the YAML is invalid',
  'packages/prompt-formats/source/foreign-yaml.ts MAX_YAML_CHARACTERS': 'how much one import reads',
  'packages/prompt-formats/source/front-keys.ts MAX_FRONT_CHARACTERS': 'as far as a suggestion looks',
  'src/domain/publishing/request.ts MAX_MIN_AGE_DAYS': 'what a caller asks of itself',
  'src/domain/publishing/request.ts MAX_PLACED_PROBLEMS': 'problems that a page shows beside its fields',
  'src/editor/handle-editor.ts MAX_PASTED_REQUEST_BYTES': 'a pasted file of MAX_PASTED_BYTES, in JSON',
  'src/editor/form/suggestions.ts MAX_CORRECTED_CHARACTERS': 'values that are too long for a suggestion',
  'packages/prompt-formats/source/source-file.ts MAX_FRONT_MATTER_CHARACTERS': 'how much one import reads',
  'packages/prompt-formats/source/source-file.ts MAX_FRONT_MATTER_LINES': 'how much one import reads',
  'packages/prompt-formats/source/source-file.ts MAX_SOURCE_BYTES': 'how much one import reads',
  'src/domain/content/placeholders.ts MAX_INNER': 'the longest text that a warning takes for a placeholder',
  'src/domain/content/prompt-file.ts MAX_LOOKED_AT': 'as far as a warning looks',
  'src/domain/publishing/prompt-file.ts MAX_FRONT_CHARACTERS': 'far more than all fields together may have',
  'src/domain/values/file-entry.ts MAX_SIGNATURE_BYTES': 'as far as a file is looked at for an image',
  'src/domain/content/findings.ts MAX_PER_KIND': 'findings that a warning names',
  'src/domain/api/envelope.ts MAX_LABELLED': 'prompts that one list has; it says how many there are',
  'src/catalogue/published/shared-files.ts MAX_PROMPTS_OF_MODEL':
    'prompts that a list names; it says how many there are',
  'src/domain/catalogue/difference.ts MAX_REASONS': 'reasons that an answer names; it counts the others',
  'src/domain/content/hidden-characters.ts MAX_DECODED': 'characters that a warning shows',
  'src/domain/content/hidden-characters.ts MAX_EMOJI': 'emoji that are recognised; no readable text has as many',
  'src/domain/text/printable.ts MAX_UNITS': 'characters of a stranger’s text that a message repeats',
  'src/domain/text/yaml.ts MAX_DOTS': 'dots in a key whose line a message names; deeper keys get the line of a parent',
  'src/catalogue/search/document.ts MAX_DIFFERENT_TOKENS': 'words of a prompt that search indexes',
  'src/catalogue/search/document.ts MAX_TOKENS_PER_FIELD': 'words of a prompt that search indexes',
  'src/domain/search/edit-distance.ts MAX_WORD_CHARACTERS': 'as long as the longest word that search knows',
  'src/catalogue/search/query.ts MAX_ALTERNATIVES': 'what search reads a word as',
  'src/catalogue/search/query.ts MAX_COMPLETIONS': 'what search reads a word as',
  'src/catalogue/search/query.ts MAX_ENTRIES': 'what of a question is counted; what is left out is said',
  'src/catalogue/search/query.ts MAX_SPAN': 'how search joins words',
  'src/catalogue/site-file.ts MAX_LINKS': 'the operator’s own file, checked with the content',
  'src/catalogue/site-file.ts MAX_QUESTIONS': 'the operator’s own file, checked with the content',
  'src/domain/search/tokens.ts MAX_WORDS': 'words of a question that are searched; what is left out is said',
  'src/domain/search/tokens.ts MAX_TOKEN_CHARACTERS': 'longer words are cut up, nothing refused',
  'src/server/publish/renew-fresh-copy.ts MAX_RENEWALS': 'how often a copy is written again after another publish',
  'src/server/read/close-names.ts MAX_CANDIDATES': 'names that a suggestion is chosen from',
  'src/server/read/close-names.ts MAX_SUGGESTED': 'names that an error suggests',
  'src/server/read/close-names.ts MAX_TYPOS': 'how far a suggested name may be',
  'src/account/find-reader.ts MAX_KEPT': 'readers whose rights are remembered; the others are checked again',
  'src/account/own-prompts.ts MAX_OWNERS': 'owners whose prompts the account page lists',
  'src/account/own-prompts.ts MAX_PICTURES': 'prompts that the account page lists with a picture',
  'src/server/read/records.ts DECODED_BYTES': 'the start of a text, for its picture',
  'src/account/own-prompts.ts MAX_SHOWN': 'prompts of an owner that the account page lists',
  'src/server/mcp/completions.ts MAX_VALUES': 'the protocol’s own limit of a completion',
  'src/server/mcp/prompts.ts ARGUMENT_CHARACTERS': 'a menu’s text is cut, nothing refused',
  'src/server/mcp/prompts.ts DESCRIPTION_CHARACTERS': 'a menu’s text is cut, nothing refused',
  'src/server/pages/find.ts MAX_CANDIDATES': 'what a page filters by hand',
  'src/server/pages/find.ts MAX_VALUES': 'filters that a page offers',
  'src/server/pages/nearby.ts MAX_OFFERED': 'words that a page offers',
  'src/server/pages/nearby.ts MAX_WORDS': 'words that an offer is made from',
  'src/server/page-cache.ts ENTRY_BYTES': 'what our own host keeps in memory',
  'src/server/page-cache.ts MAX_AGE_MS': 'what our own host keeps in memory',
  'src/server/page-cache.ts MAX_BYTES': 'what our own host keeps in memory',
  'src/server/publish/renew-fresh-copy.ts MAX_UNKNOWN': 'versions that are read again after a publish',
  'src/server/publish/write-to-git.ts MAX_REREADS': 'how often publishing looks again',
  'src/server/request.ts FIRST_BYTES': 'how much is set aside for a body at first',
  'src/server/read/query-values.ts MAX_LABELS': 'labels that an error names',
  'src/server/read/list.ts MAX_META_BYTES': 'room that is set aside in an answer',
  'src/server/respond.ts MAX_CANDIDATES': 'validators of one request that are compared',
  'src/files/plain-files.ts MAX_ATTEMPTS': 'how often a file that is being replaced is opened again',
  'src/files/read-archive.ts MAX_ENTRIES': 'folders and files of an archive; a skill may have far fewer files',
  'src/hub/open-publish-hub.ts FAILED_TOKENS_PER_MINUTE': 'slows guessing; whoever has a good token never meets it',
  'src/domain/catalogue/change-mark.ts MAX_CHARACTERS': 'how much of a reason or a name the activity shows',
  'src/domain/inspect/describe.ts MAX_HOSTS': 'hosts that a sentence names',
  'src/domain/inspect/inspect.ts MAX_FIRST_LINE': 'as much of a file that is no text as may name its program',
  'src/domain/inspect/inspect.ts MAX_LISTED': 'findings that a list names; it counts the others',
  'src/domain/inspect/inspect.ts MAX_MATCHES': 'places of one rule in one line; a finding says that there are more',
  'src/domain/inspect/inspect.ts MAX_ADDRESSES': 'addresses of a line from which reading it counts more',
  'src/domain/inspect/inspect.ts MAX_SHOWN': 'as much of a match as is compared; no line is as long',
  'src/domain/inspect/inspect.ts MAX_READ': 'how much all rules read together; beyond that, a finding says so',
  'src/domain/inspect/words.ts MAX_LINE': 'as far as a rule looks in a line',
  'src/domain/inspect/words.ts MAX_NEXT': 'as far as a rule looks for the next word',
  'src/server/request.ts MAX_SENDER_BYTES': 'the bodies of one sender together; it is asked to wait',
  'src/server/request.ts MAX_HELD_BYTES': 'the bodies of all requests together; others are asked to wait',
  'src/skills/skill-history.ts MAX_COMMITS': 'commits of a repository; older publishes are folded into one',
  'src/skills/skill-history.ts MAX_BYTES': 'the skills of a larger repository are cloned by owner',
  'src/skills/handle-git.ts MAX_BYTES': 'what git asks with; a clone of all skills needs far less',
  'src/review/rules/impact.ts MAX_NAMES': 'keeps the comment on a pull request short',
}

const LIKE_A_LIMIT =
  /^(?:LONGEST|HIGHEST|DEEPEST|MAX)(?:_|$)|_(?:BYTES|CHARACTERS|DEPTH|MINUTE)$|^(?:longest|max)[A-Z]\w*$|(?:Bytes|Characters|Depth|PerMinute)$/
const CONSTANT = /^(?:export )?const (\w+)(?:: [\w ]+)? = -?\d[\d_]*(?: ?\*+ ?\d[\d_]*)*$/gm
/** Matches a number used as a schema limit instead of a name from `LIMITS`. */
const IN_SCHEMA = /^\s*\.max\(\s*\d[\d_]*.*$|\bz\.[^\n]*\.max\(\d[^\n]*$|\bmax(?:Length|Items|Properties): [1-9]\d*/gm
/** Schema limits that are defined elsewhere or derived from other limits. */
const FIXED: Readonly<Record<string, string>> = {
  "src/domain/api/schema.ts z.number().min(0).max(1).nullable().describe('The score of the suite, from 0 to 1, or null.'),":
    'a score is a fraction',
  "src/domain/content/label-schema.ts .max(99, 'expected 1 to 99; to give everybody the second version, move the label to it')":
    'a share in whole percents',
  "src/domain/content/protected-labels.ts .max(1, 'expected 0 to 1')": 'a score is a fraction',
  "src/domain/content/result-file.ts .max(1, 'expected 0 to 1')": 'a score is a fraction',
  "src/domain/content/trusted-root-file.ts .max(10, 'expected at most 10 roots')": 'the operator’s own file',
  'src/domain/content/trusted-root-file.ts z.array(z.looseObject({})).max(100).default([]).describe(sentence)':
    'the operator’s own file',
  'src/domain/values/values.ts maxLength: 104': 'an owner, a slash and a name',
  'src/domain/values/values.ts maxLength: 125': 'the parts of owner/name@x.y.z have their own',
}

const files = ROOMS.flatMap((room) =>
  readdirSync(room, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => join(room, name).replaceAll('\\', '/')),
).filter((path) => path !== 'src/domain/limits.ts' && !path.startsWith('src/account/providers/'))

const found = (find: (text: string) => string[]) =>
  files.flatMap((path) => find(readFileSync(path, 'utf8')).map((what) => `${path} ${what}`)).sort()

const limitsIn = (text: string) =>
  [...text.matchAll(CONSTANT)].map(([, name]) => name!).filter((name) => LIKE_A_LIMIT.test(name))
const boundsIn = (text: string) => [...text.matchAll(IN_SCHEMA)].map(([whole]) => whole.trim())

test('the patterns of this test find limits in source code', () => {
  expect(
    limitsIn('const MAX_CATS = 9\nexport const catBytes: number = 4 * 1024\nconst cats = 9\nconst CALL_MS = 8_000\n'),
  ).toEqual(['MAX_CATS', 'catBytes'])
  expect(boundsIn("z.string().max(9)\n  .max(1_000, 'cats')\n  .max(LIMITS.cats)\n  { maxItems: 5 }\n")).toEqual([
    'z.string().max(9)',
    ".max(1_000, 'cats')",
    'maxItems: 5',
  ])
})

test('all limits are defined in LIMITS, except those listed here', () => {
  expect(found(limitsIn)).toEqual(Object.keys(TUNING).sort())
})

test('schemas use no hard-coded limits, except those listed here', () => {
  expect(found(boundsIn)).toEqual(Object.keys(FIXED).sort())
})
