// The table of content rules: name, severity, expected value and fix. The docs page shows this table.

/** An error blocks a change; authors may ignore advice. */
export type Severity = 'error' | 'advice'

/** A review rule. */
export interface Rule {
  severity: Severity
  /** The expected value, as shown on the page of rules. */
  expects: string
  /** How to fix it. */
  fix: string
}

const error = (expects: string, fix: string): Rule => ({ severity: 'error', expects, fix })
const advice = (expects: string, fix: string): Rule => ({ severity: 'advice', expects, fix })
const NEW_VERSION = 'restore the file, and add the next version'

/** Every rule by its name. */
export const RULES = {
  path: error(
    'Files are at {owner}/index.md, {owner}/{name}/index.md, {owner}/{name}/versions/{x.y.z}.md or, for a skill, in the folder {owner}/{name}/versions/{x.y.z}/; results are at {owner}/{name}/results/{x.y.z}/{suite}.yml, attestations at {owner}/{name}/attestations/{x.y.z}/{n}.sigstore.json, and test cases at {owner}/{name}/tests/promptfooconfig.yaml.',
    'move or rename the file (git mv)',
  ),
  'regular-file': error(
    'Files are regular files, not symbolic links or submodules.',
    'replace the link with the text itself',
  ),
  'bytes-as-in-git': error(
    'Every file has the same bytes as in git: no attribute or line-ending setting converts it.',
    'remove the attribute from .gitattributes (git check-attr -a FILE shows it) or set core.autocrlf to false, and check the file out again',
  ),
  'no-attributes': error(
    'There is no .gitattributes below content: it would change published bytes in every clone.',
    'remove it; use the .gitattributes in the root of the repository',
  ),
  'content-folder': error(
    'The content folder exists.',
    'create it, or set CONTENT_DIR to the folder that contains the prompts',
  ),
  readable: error('Every file and folder can be read.', 'give yourself read permission'),
  'file-fits': error('A file is at most 1 MB in size; a file of a skill, at most 2,000,000 bytes.', 'shorten it'),
  'files-fit': error(
    'The files of a skill are at most 500, with at most 8,000,000 bytes together.',
    'remove files, or let SKILL.md say where to download them',
  ),
  'files-need-skill': error(
    'Only a version with the key skill has files, in a folder beside its file.',
    'add the key skill and the file of the version, or remove the folder',
  ),
  'utf-8': error('Files are UTF-8.', 'save it as UTF-8'),
  'front-matter': error(
    'A file begins with YAML between two lines that are exactly ---.',
    'fix the YAML in that line (a text with a colon needs quotes); docs/content.md has an example',
  ),
  'front-matter-value': error(
    'Every key of the front matter is known, and its value is valid.',
    'correct the value, or remove the key',
  ),
  usage: error('usage.json contains download counts by full name.', 'create it with npm run import:usage'),
  equivalents: error('equivalents.txt has a line for each set of synonyms.', 'correct that line'),
  models: error(
    'models.yml has the ID and the date of each model that retires.',
    'correct that line; npm run models writes the file',
  ),
  site: error(
    'site.yml contains the name and look of the hub; its logo is a small SVG or PNG.',
    'correct that value; see the guide to self-hosting',
  ),
  'content-is-text': error('The front matter is followed by text without null characters.', 'write the prompt there'),
  'content-fits': error('The content is at most 262,144 bytes long.', 'shorten it, or split it into two prompts'),
  'variables-are-few': error('A version has at most 64 placeholders.', 'combine some of them'),
  'placeholders-are-short': error('The name of a placeholder is at most 64 characters long.', 'give it a shorter name'),
  'content-is-chat': error(
    'A version with format chat consists of role lines and messages.',
    'write {{role "user"}} alone on a line before each message; see the guide to chat prompts',
  ),
  'skill-is-harmless': error(
    'A skill contains nothing that Claude Code runs or includes when it loads a skill: !`command`, @path.',
    'remove the exclamation mark, or put the path in backticks; or remove the key skill',
  ),
  'includes-match': error(
    'Each include is the content of the version that it names, at its position, byte for byte.',
    'write the version with npm run compose',
  ),
  'includes-are-allowed': error(
    'A new version includes versions that exist, are in the range and are not yanked, and is what composing them gives.',
    'write the version again with npm run compose',
  ),
  'looks-like-include': advice(
    'An include line is replaced by the content of another version.',
    'write the version with npm run compose, or ignore this if it is meant as plain text',
  ),
  'looks-like-chat': advice(
    'Content with role lines has format chat.',
    'add format: chat to the front matter, or ignore this if it is meant as plain text',
  ),
  'looks-like-front-matter': advice(
    'Content does not begin with the front matter of a prompt file.',
    'move its fields to the front matter of the version and to index.md, or ignore this if it is meant as content',
  ),
  'missing-file': advice(
    'The files that a skill names are there.',
    'add the file to the folder of the version, or correct the path',
  ),
  'near-placeholder': advice(
    'Text that looks like a placeholder is one: {{name}} or {{ name }}.',
    'write it so, or ignore this if it belongs to another tool',
  ),
  'holds-no-secret': error(
    'No field contains a token of this hub, another token with a valid checksum, or a private key.',
    'revoke it immediately, then replace it with a made-up value',
  ),
  'owner-has-members': error(
    'An owner that has members keeps at least one.',
    'add somebody before you remove the last one',
  ),
  'has-versions': error(
    'A repository has at least one version, unless all were taken down.',
    'add versions/1.0.0.md, or remove the folder; npm run new creates both files',
  ),
  'versions-are-few': error(
    'A repository has at most 1,000 versions.',
    'continue in another repository, with moved_to',
  ),
  'yanked-versions-exist': error('Yanked versions exist.', 'name an existing version'),
  'removed-versions-are-gone': error('A version that was taken down has no file.', 'delete the file'),
  'labels-point-at-active-versions': error(
    'A label points at a version that exists and is not yanked.',
    'point it at another version, or remove it',
  ),
  'advisories-have-ranges': error(
    'The range of an advisory is a valid node-semver range.',
    'write a range such as "<1.2.0" or "1.0.0 - 1.4.2"',
  ),
  'successor-exists': error('moved_to names another repository that exists.', 'name an existing repository'),
  'replacement-exists': error('replaced_by names another repository that exists.', 'name an existing repository'),
  'license-is-spdx': error(
    'A license is an SPDX expression.',
    'use an identifier from https://spdx.org/licenses, or run with --fix',
  ),
  'version-unchanged': error('A version that is on the main branch is never changed, moved or deleted.', NEW_VERSION),
  'version-number-used': error(
    'A version number that was ever on the main branch is not reused for different content.',
    'use the next number',
  ),
  'portable-name': error(
    'The name of a new prompt is a valid folder name on Windows: not con, prn, aux, nul, com1 to com9 or lpt1 to lpt9.',
    'rename the folder (git mv)',
  ),
  'unportable-name': advice(
    'The name of a prompt is a valid folder name on Windows.',
    'publish it under another name, and set moved_to to that name',
  ),
  'version-step': error(
    'A new version is exactly one step above the highest version, and the first version is 1.0.0.',
    'rename the file; npm run bump uses the right number',
  ),
  'no-forged-provenance': error(
    'Only the hub writes provenance, after it has verified a job’s token.',
    'remove the key provenance',
  ),
  'attestations-listed': error(
    'A version file lists the SHA-256 of each of its attestations, and has no other attestations.',
    'restore the file, or remove it; publish with the attestation instead',
  ),
  'attestation-verified': error(
    'A new attestation is a Sigstore bundle about the version, signed by a workflow that the owner trusts.',
    'sign these bytes with a trusted workflow, or remove the attestation and its entry',
  ),
  'signed-version': error(
    'A new version of an owner with publishing: signed-only or trusted-only has an attestation.',
    'publish from a workflow that the owner trusts, or ask a member to change publishing first',
  ),
  'trusted-root': error(
    'trusted-root.json has the day when it was renewed, and the trusted roots of Sigstore instances.',
    'write it with npm run trust',
  ),
  'published-by-now': error(
    'The published_at of a new version is not in the future, except for a clock difference of up to five minutes.',
    'use the current time, in UTC',
  ),
  'published-by-author': error(
    'The published_by of a version in a pull request is the author of the pull request or a member of the owner.',
    'use your own login',
  ),
  result: error(
    'A result has the digest of the content, the numbers of passed and failed test cases, a time and who reported it.',
    'correct that value, or report the result with hubcli result, which writes the file',
  ),
  'results-have-versions': error('A result is of a version that exists.', 'delete the file'),
  'results-of-these-bytes': error(
    'A result is of the very content of its version: content_sha256 is the same.',
    'run the tests on this version and report them again; until then, the result does not count',
  ),
  'suites-are-few': error('A version has results of at most 20 test suites.', 'delete those that nobody needs'),
  'tested-by-now': error(
    'The time of a new result is not in the future, except for a clock difference of up to five minutes.',
    'use the time of the run, in UTC',
  ),
  'reported-by-author': error(
    'The reported_by of a result in a pull request is the author of the pull request or a member of the owner.',
    'use your own login',
  ),
  'labels-have-results': error(
    'A label that requires results moves only to a version that has them.',
    'report the results first, then move the label',
  ),
  'label-without-results': advice(
    'The version that a label points at has the results that the label requires.',
    'report them, or move the label to a version that has them',
  ),
  'is-edited': error('No template text of npm run new or "Suggest a change" remains.', 'replace it with your own text'),
  'variables-are-used': advice(
    'Every variable that a version declares is used in its content.',
    'add {{name}} to the content, or remove the declaration',
  ),
  'placeholders-are-declared': advice(
    'A version that declares variables declares every placeholder in its content.',
    'declare it under variables, or use variables: [] if nothing is filled in',
  ),
  secret: advice('Nothing looks like a secret.', 'use an obvious example instead'),
  'hidden-characters': advice('Every character is visible.', 'retype the passage without the character'),
  'look-alikes': advice('A word uses only one alphabet.', 'retype the word'),
  'weak-title': advice('A repository has a title of a few words.', 'add title to index.md'),
  'weak-metadata': advice(
    'A repository has a description, tags and a license, and every variable has a description.',
    'add what is missing',
  ),
  'near-duplicate': advice(
    'A prompt does not duplicate the text of another prompt.',
    'explain in the description how they differ, or improve the other prompt',
  ),
  'breaking-is-major': error(
    'A breaking change of an owner with publishing: semver is a major version.',
    'rename the file to the next major version, or give new variables a default',
  ),
  'breaking-change': advice(
    'A breaking change is published as a major version.',
    'give new variables a default, or publish the next major version',
  ),
} as const satisfies Record<string, Rule>

/** The name of a rule. */
export type RuleName = keyof typeof RULES

/** Returns whether a rule with this name exists. */
export function isRuleName(name: string): name is RuleName {
  return Object.hasOwn(RULES, name)
}
