// The table of content rules: name, severity, expected value and fix. The docs page shows this table.

/** An error blocks a change; advice is up to its author. */
export type Severity = 'error' | 'advice'

/** A review rule. */
export interface Rule {
  severity: Severity
  /** What it expects, for the page of rules. */
  expects: string
  /** How to fix it. */
  mend: string
}

const error = (expects: string, mend: string): Rule => ({ severity: 'error', expects, mend })
const advice = (expects: string, mend: string): Rule => ({ severity: 'advice', expects, mend })
const NEW_VERSION = 'put the file back as it was, and add the next version beside it'

/** Every rule by its name. */
export const RULES = {
  path: error(
    'Files lie at {owner}/index.md, {owner}/{name}/index.md or {owner}/{name}/versions/{x.y.z}.md.',
    'move or rename the file (git mv)',
  ),
  'regular-file': error(
    'Files are ordinary ones: no symbolic links, no submodules.',
    'put the text itself where the link is',
  ),
  'bytes-as-in-git': error(
    'A file lies here byte for byte as git has it: no attribute and no setting of line ends converts it.',
    'take the attribute out of .gitattributes (git check-attr -a FILE names it) or set core.autocrlf to false, and check the file out again',
  ),
  'no-attributes': error(
    'No .gitattributes stands below content: it would change published bytes in every clone.',
    'remove it; what the repository needs stands in the .gitattributes of its top folder',
  ),
  'content-folder': error(
    'The content folder exists.',
    'make it, or set CONTENT_DIR to the folder that holds the prompts',
  ),
  readable: error('Every file and folder can be read.', 'give yourself the right to read it'),
  'file-fits': error('A file is at most a megabyte long.', 'shorten it'),
  'utf-8': error('Files are UTF-8.', 'save it as UTF-8'),
  'front-matter': error(
    'A file begins with YAML between two lines that are exactly ---.',
    'mend the YAML at that line; .github/CONTRIBUTING.md has an example',
  ),
  'front-matter-value': error(
    'Every key of the front matter is known, and its value has the right form.',
    'mend the value, or leave the key out',
  ),
  usage: error('usage.json holds download counts by full name.', 'write it by npm run import:usage'),
  equivalents: error('equivalents.txt holds a line for each set of words that mean the same.', 'mend that line'),
  site: error(
    'site.yml holds the name and look of the hub; its logo is a small SVG or PNG.',
    'mend that value; see the guide to self-hosting',
  ),
  'content-is-text': error('Below the front matter stands some text, without NUL.', 'write the prompt there'),
  'content-fits': error('A content is at most 262,144 bytes long.', 'shorten it, or divide it into two prompts'),
  'variables-are-few': error('A version has at most 64 placeholders.', 'join some of them'),
  'placeholders-are-short': error('The name of a placeholder has at most 64 characters.', 'give it a shorter name'),
  'content-is-chat': error(
    'A version with format chat consists of role lines and messages.',
    'write {{role "user"}} alone on a line before each message; see the guide to chat prompts',
  ),
  'skill-is-harmless': error(
    'A skill is a text without what Claude Code runs or includes while it loads a skill: !`command`, @path.',
    'write it without the exclamation mark, or the path between backticks; or take the key skill out',
  ),
  'looks-like-chat': advice(
    'A content with role lines has format chat.',
    'add format: chat to the front matter, or leave it when the text is meant as one',
  ),
  'holds-no-secret': error(
    'No token of this hub, no token whose checksum is right and no private key stands in any field.',
    'revoke it at once, then write a made-up one in its place',
  ),
  'has-versions': error(
    'A repository has at least one version.',
    'add versions/1.0.0.md, or remove the folder; npm run new makes both files',
  ),
  'versions-are-few': error('A repository has at most 1,000 versions.', 'go on in another repository, by moved_to'),
  'yanked-versions-exist': error('What is yanked exists.', 'name a version that is there'),
  'labels-point-at-active-versions': error(
    'A label points at a version that exists and is not yanked.',
    'point it at another version, or remove it',
  ),
  'advisories-have-ranges': error(
    'The range of an advisory is one that node-semver reads.',
    'write it such as "<1.2.0" or "1.0.0 - 1.4.2"',
  ),
  'successor-exists': error('moved_to names another repository, which has not moved itself.', 'name where it is now'),
  'replacement-exists': error('replaced_by names another repository that exists.', 'name one that is there'),
  'license-is-spdx': error(
    'A licence is an SPDX expression.',
    'take its identifier from https://spdx.org/licenses, or run with --fix',
  ),
  'version-unchanged': error('A version that is on the main branch is never changed, moved or deleted.', NEW_VERSION),
  'version-number-used': error(
    'The number of a version that once was on the main branch is not given to another text.',
    'take the next number',
  ),
  'portable-name': error(
    'The name of a new prompt can be a folder on Windows: not con, prn, aux, nul, com1 to com9 or lpt1 to lpt9.',
    'rename the folder (git mv)',
  ),
  'unportable-name': advice(
    'The name of a prompt can be a folder on Windows.',
    'publish it under another name, and name that one as moved_to',
  ),
  'version-step': error(
    'A new version is exactly one step above the highest, and the first is 1.0.0.',
    'rename the file; npm run bump finds the number',
  ),
  'no-forged-provenance': error(
    'Only the hub writes provenance, after it has checked the token of a job.',
    'remove the key provenance',
  ),
  'published-by-now': error(
    'The published_at of a new version has passed; clocks may differ by five minutes.',
    'write the time of now, in UTC',
  ),
  'published-by-author': error(
    'A version that comes by pull request names its author, or a member of its owner, as published_by.',
    'write your own login',
  ),
  'is-edited': error(
    'No text is the one that npm run new or "Suggest a change" begins a file with.',
    'write what your prompt needs there',
  ),
  'variables-are-used': advice(
    'Every variable that a version declares stands in its content.',
    'write {{name}} where its value belongs, or remove the declaration',
  ),
  'placeholders-are-declared': advice(
    'A version that declares variables declares every placeholder of its content.',
    'declare it below variables, or write variables: [] when nothing is to be filled in',
  ),
  secret: advice('Nothing looks like a secret.', 'revoke it if it is real; write one that is plainly made up'),
  'hidden-characters': advice('Every character shows.', 'type the passage anew, without the character'),
  'look-alikes': advice('A word keeps to one alphabet.', 'retype the word'),
  'weak-title': advice('A repository has a title in words.', 'add title to index.md'),
  'weak-metadata': advice(
    'A description says what the prompt is for; there are tags, a licence, and words for every variable.',
    'write what is missing',
  ),
  'near-duplicate': advice(
    'A prompt does not repeat the words of another one.',
    'say in the description how they differ, or improve the other one',
  ),
  'breaking-change': advice(
    'What stops callers is published as a major version.',
    'give new variables a default, or take the next major number',
  ),
} as const satisfies Record<string, Rule>

/** The name of a rule. */
export type RuleName = keyof typeof RULES

/** Whether a rule of this name exists. */
export function isRuleName(name: string): name is RuleName {
  return Object.hasOwn(RULES, name)
}
