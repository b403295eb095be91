// The rules for what sentences ask of an agent.
import { pattern, type Rule, URL } from './rule.ts'

const raw = String.raw

const PERSON = raw`(?:the |your |a )?(?:user|human|person|owner|operator|developer|customer|anyone|them)`
const SECRET = raw`(?:contents?|credentials?|api[ _-]?keys?|(?:access |auth |session )?tokens?|secrets?|passwords?|env(?:ironment)? ?(?:variables?|vars)?|\.env(?: files?)?|conversation(?: history)?|chat history|transcripts?|messages?|private keys?|ssh keys?|cookies|files?|documents?|source code|prompts?|data|emails?|config(?:uration)?s?|context|inputs?|answers?|outputs?|results?|history)`
const SEND = raw`(?:send|upload|post|forward|exfiltrate|transmit|submit|copy|leak|push|deliver|relay|email|mail|share|report|append|include)`

/** The rules for what sentences ask of an agent. */
export const SENTENCE_RULES: readonly Rule[] = [
  {
    kind: 'fetches-instructions',
    severity: 'danger',
    words: 'follow execute obey carry comply do perform treat instructions instruction commands directives orders',
    needs: ['://'],
    pattern: pattern(
      raw`\b(?:fetch|download|read|load|get|retrieve|curl|wget|visit|open|check|pull|browse|access|request)\b[^\n]{0,120}?${URL}[^\n]{0,120}?\b(?:follow|execute|obey|carry out|comply with|do (?:what|whatever|as)|perform|treat)\b[^\n]{0,60}?\b(?:instructions?|steps?|commands?|directives?|prompts?|orders?|tasks?|it says|they say|says|it|them|there)\b`,
      raw`|\b(?:follow|execute|obey|carry out|run|perform)\b[^\n]{0,40}?\b(?:instructions?|steps?|commands?|directives?|orders?|tasks?|rules)\b[^\n]{0,40}?\b(?:at|from|in|on|under|served by|hosted at|published at|returned by)\s[^\n]{0,20}?${URL}`,
      raw`|\binstructions?\b[^\n]{0,40}\b(?:are|is|live|lives)\b[^\n]{0,30}\b(?:at|on)\b[^\n]{0,10}${URL}`,
    ),
    usual:
      /\b(?:guidelines?|docs?|documentation|reference|install(?:ation)?)\b|github\.com|githubusercontent|docs\.|developers?\.|learn\.|\/docs/i,
    why: 'Does what an address says at that moment, which nobody has read.',
  },
  {
    kind: 'fetches-instructions',
    severity: 'danger',
    words: 'every each periodically hourly daily regularly whenever',
    needs: ['://'],
    pattern: pattern(
      raw`\b(?:every (?:\w+ ){0,3}(?:hours?|minutes?|sessions?|messages?|turns?|days?|heartbeat|time)|each (?:\w+ ){0,2}(?:sessions?|turns?|messages?|day|start|time)|periodically|hourly|daily|regularly|at the start of|whenever)\b[^\n]{0,80}?\b(?:fetch|download|check|pull|read|poll|load|retrieve|get|curl|re-?read)\b[^\n]{0,60}?${URL}`,
    ),
    usual: /\b(?:documentation|docs?|guidelines?|status|prices?|news|feed)\b|docs\./i,
    why: 'Asks an address for orders again and again.',
  },
  {
    kind: 'fetches-instructions',
    severity: 'notice',
    words: 'latest newest remote live fresh current',
    where: 'prose',
    pattern: pattern(
      raw`\b(?:fetch|download|retrieve|load|webfetch|web_fetch|read)\b[^\n]{0,60}?\b(?:latest|current|newest|remote|live|fresh|up-to-date)\b[^\n]{0,60}?\b(?:instructions?|guidelines?|rules?|prompts?|skills?|commands?|configuration|directives?|steps)\b`,
    ),
    why: 'Reads more instructions from elsewhere.',
  },
  {
    kind: 'hides',
    severity: 'danger',
    words:
      'tell inform notify alert warn mention reveal disclose expose display discuss telling informing notifying alerting mentioning asking knowledge consent knowing noticing awareness aware approval permission report show',
    pattern: pattern(
      raw`\b(?:do not|don['’]?t|never|must not|should not|avoid|no need to)\s+(?:ever |even |explicitly |under any circumstances )?(?:tell|inform|notify|alert|warn)(?:ing)?\s+${PERSON}\b(?! (?:to|how|which|where|whether|until|if|what|they (?:can|should|must|need))\b)`,
      raw`|\b(?:do not|don['’]?t|never|must not|should not)\s+(?:ever )?(?:mention|reveal|disclose|report|show|expose|display|discuss)\s+(?:this|that|these|it|any of this|the existence of|what you)\b[^\n]{0,50}?\b(?:to|from|with|in front of) ${PERSON}\b`,
      raw`|\bwithout\s+(?:ever )?(?:telling|informing|notifying|alerting|mentioning (?:it|this) to|asking|the knowledge of|consent of)\s+${PERSON}\b`,
      raw`|\bwithout ${PERSON}(?:['’]s)?\s+(?:knowledge|consent|knowing|noticing|awareness|being aware|approval|permission)\b`,
    ),
    usual: /\basking|\bapproval|\bpermission|\bconsent/i,
    why: 'Keeps something from the person whom the agent works for.',
  },
  {
    kind: 'hides',
    severity: 'danger',
    words:
      'silently secretly quietly covertly stealthily hide conceal hidden secret confidential invisible know notice see find learn told informed',
    pattern: pattern(
      raw`\b(?:silently|secretly|covertly|quietly|stealthily)\s+(?:\w+\s+){0,2}?(?:send|sends|upload|uploads|exfiltrate|post|posts|forward|transmit|execute|install|append|copy|record|collect|include|add|bcc|read|download|fetch)\b`,
      raw`|\b(?:hide|conceal|keep)\s+(?:this|these|the|it|that|any|all|such)\b[^\n]{0,40}?\b(?:from|hidden from|secret from|invisible to)\s+${PERSON}\b`,
      raw`|\bkeep (?:this|it|that|these)(?: \w+){0,3} (?:secret|confidential|hidden|invisible)\b|\b${PERSON} (?:must|should|may|can)(?: not|n['’]t|never) (?:know|notice|see|find out|be aware|learn|be told|be informed)\b`,
    ),
    usual:
      /\b(?:silently|quietly) (?:\w+ ){0,2}(?:read|fetch|add|include|append|download|execute|install|post|copy|record|collect)s?\b/i,
    why: 'Keeps something from the person whom the agent works for.',
  },
  {
    kind: 'hides',
    severity: 'danger',
    words: 'histfile histsize history bash_history windowstyle hidden zsh_history',
    pattern:
      /\bunset\s+HISTFILE|\bHIST(?:FILE|SIZE)=(?:\/dev\/null|0)\b|\bhistory\s+-c\b|\brm\s+[^\n]{0,20}\.(?:bash|zsh)_history|-w(?:indowstyle)?\s+hidden\b/gi,
    why: 'Removes the traces of what it did.',
  },
  {
    kind: 'hides',
    severity: 'notice',
    words: 'nohup disown setsid null',
    pattern: /\bnohup\s[^\n]{2,120}&|>\s?\/dev\/null\s+2>&1\s+&(?!&)|\bdisown\b|&>\s?\/dev\/null\s+&(?!&)/gi,
    why: 'Goes on in the background, without a word.',
  },
  {
    kind: 'hides',
    severity: 'danger',
    words: 'system ignore must instruction instructions assistant agent curl secretly exfiltrate claude copilot tell',
    needs: ['<!--', '[//]', '[comment]'],
    pattern:
      /(?:<!--|\[\/\/\]: ?#|\[comment\]: ?#)(?:(?!-->)[^\n]){0,120}?\b(?:ignore (?:all|previous|prior)|you must|system ?(?:prompt|:|override|note)|instructions? (?:for|to) (?:the )?(?:ai|agent|assistant|model|llm|claude|copilot)|(?:ai|agent|assistant|claude|copilot)s? ?(?::|must (?:always |now |first )?(?:ignore|send|run|fetch|execute|read|upload|include|add))|curl |secretly|do not (?:tell|mention|show)|exfiltrate|upload )[^\n]{0,120}/gi,
    why: 'Speaks to the agent where people do not look.',
  },
  {
    kind: 'hides',
    severity: 'danger',
    words: 'hidden_character',
    pattern:
      /[\u{e0020}-\u{e007f}]{6,400}|[\u202a-\u202e\u2066-\u2069]|[\u200b\u2060-\u2064]{4,400}|[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{4,400}/gu,
    except: /^[\u{e0061}-\u{e007a}]{2,6}\u{e007f}$/u,
    why: 'Characters that people do not see, and models read.',
  },
  {
    kind: 'hides',
    severity: 'danger',
    words: 'hidden_character',
    pattern:
      /[a-z]{1,40}[\u200b-\u200d\u2060\ufeff][a-z]{1,40}|[a-z]{1,40}[асеорхуіѕһԁΑΒΕΗΙΚΜΝΟΡΤΥΧο][a-z]{1,40}|(?<![\p{L}])[асеорхуіѕһԁ][a-z]{2,40}|(?:[\uff21-\uff3a\uff41-\uff5a]{2,20}[ \u3000]?){3}/giu,
    why: 'Letters that look like others, or a word with something between its letters, so that a search does not find it.',
  },
  {
    kind: 'agent-settings',
    severity: 'danger',
    words: 'ignore disregard forget override overrides bypass supersede supersedes disable turn',
    pattern: pattern(
      raw`\b(?:ignore|disregard|forget)\s+(?:all |any |every )?(?:of )?(?:the |your |my )?(?:previous|prior|above|earlier|preceding|existing|other|system|safety)\s+(?:\w+ )?(?:instructions?|rules?|prompts?|guidelines?|directives?|constraints?|policies)\b`,
      raw`|\b(?:these|this)(?: \w+){0,3} (?:overrides?|supersedes?|takes? precedence over|replaces?) (?:all |any )?(?:the |your |other )?(?:\w+ )?(?:system|safety|previous|prior|user)(?:['’]s)?(?: \w+)? ?(?:instructions?|rules?|prompts?|guidelines?|policies)\b`,
      raw`|\b(?:bypass|disable|turn off|override)\s+(?:all |any |the |your )?(?:\w+ )?(?:safety|guardrails?|content filters?|safety (?:checks|filters)|approval prompts?|confirmation prompts?|permission prompts?|security checks?)\b`,
    ),
    usual: /["“'‘`]\s?(?:ignore|disregard|forget)|\b(?:never|not|don['’]t)\b/i,
    why: 'Takes the rules of the agent or of the person away.',
  },
  {
    kind: 'agent-settings',
    severity: 'danger',
    words: 'you developer dan jailbreak unrestricted unfiltered',
    pattern:
      /\byou are (?:now )?(?:dan\b|in (?:developer|god|debug|admin|unrestricted) mode|no longer (?:bound|restricted|limited)|free (?:of|from) (?:all |any )?(?:restrictions?|rules))|\b(?:enable|enter|activate) (?:god|dan|unrestricted|jailbreak) mode\b/gi,
    why: 'Takes the rules of the agent away.',
  },
  {
    kind: 'sends-data',
    severity: 'danger',
    words:
      'credentials credential api key keys token tokens secret secrets password passwords env environment conversation chat transcript transcripts messages cookies files file document documents source prompts data email emails config configuration context input inputs answer answers output outputs result results history content contents bcc',
    needs: ['://', '@'],
    where: 'prose',
    pattern: pattern(
      raw`\b${SEND}\b[^\n]{0,80}?\b${SECRET}\b[^\n]{0,60}?\b(?:to|at|via|as a query)\b[^\n]{0,30}?(?:${URL}|[\w.+-]{1,60}@(?:[\w-]{1,63}\.){1,3}[a-z]{2,12}\b)`,
      raw`|\bbcc\b[^\n]{0,60}[\w.+-]{1,60}@(?:[\w-]{1,63}\.){1,3}[a-z]{2,12}\b`,
    ),
    usual:
      /\b(?:support|security|feedback|help|info)@|github\.com|api\.(?:openai|anthropic|github|slack|notion|linear|stripe)\.com/i,
    why: 'Has the agent send what the person works with to somebody.',
  },
  {
    kind: 'sends-data',
    severity: 'danger',
    words: 'http https',
    pattern: /!\[[^\]\n]{0,80}\]\(https?:\/\/[^\s)\n]{3,120}[?&]\w{1,20}=(?:\{\{?|<|\$\{?|\[|%s)[^)\n]{1,80}\)?/gi,
    why: 'A picture whose address carries what the agent knows.',
  },
  {
    kind: 'sends-data',
    severity: 'danger',
    words: 'exfiltrate exfiltration exfil steal harvest',
    where: 'code',
    pattern: /\b(?:def|function|const|let|var)\s+\w{0,20}(?:exfil|steal_|harvest_?cred)\w{0,30}/gi,
    why: 'A program that says what it is.',
  },
  {
    kind: 'prerequisite',
    severity: 'danger',
    words: 'password pass passphrase terminal powershell shell extract',
    where: 'prose',
    pattern: pattern(
      raw`\b(?:download|install|run|extract|unzip|open|execute|launch)\b[^\n]{0,120}?\b(?:zip|exe|dmg|pkg|msi|rar|7z|archive|binary|executable|installer|utility|driver|helper|agent|package|tool)\b[^\n]{0,120}?\b(?:password|passphrase|pass(?=\s?[:=])|extract (?:it )?(?:with|using))\s?(?:is|:|=)?\s?["'\x60(]?\w`,
      raw`|\b(?:copy|paste|run)\b[^\n]{0,60}?\b(?:command|script|snippet|line)\b[^\n]{0,40}?\b(?:into|in)\b[^\n]{0,20}?\b(?:your |the )?(?:terminal|powershell|command prompt|run dialog|shell)\b[^\n]{0,120}?(?:curl|wget|base64|${URL})`,
    ),
    why: 'Has the person run something before the skill works.',
  },
  {
    kind: 'prerequisite',
    severity: 'danger',
    words: 'copy paste terminal powershell',
    needs: ['aste', 'opy'],
    where: 'prose',
    pattern: pattern(
      raw`\b(?:copy|paste)\b[^\n]{0,80}?\b(?:from|at)\s[^\n]{0,20}?${URL}[^\n]{0,80}?\b(?:terminal|powershell|command prompt|shell|console)\b`,
      raw`|\bpaste\b[^\n]{0,60}?\b(?:into|in)\b[^\n]{0,20}?(?:your |the )?(?:terminal|powershell|command prompt|run dialog)\b`,
    ),
    usual: /\bpaste\b[^\n]{0,60}(?:into|in)\b[^\n]{0,20}(?:terminal|powershell|command prompt)/i,
    why: 'Has the person run something before the skill works.',
  },
  {
    kind: 'prerequisite',
    severity: 'notice',
    words: 'http https',
    pattern: /\bhttps?:\/\/[^\s"'<>)\]]{4,200}\.(?:exe|dmg|pkg|msi|scr|appimage|deb|rpm|apk|jar|iso|bat)(?![\w.-])/gi,
    why: 'A program to download.',
  },
  {
    kind: 'prerequisite',
    severity: 'notice',
    words: 'download install requires require',
    where: 'prose',
    pattern: pattern(
      raw`\b(?:download|install)\b[^\n]{0,60}?\bfrom\b[^\n]{0,30}?${URL}[^\n]{0,60}?\b(?:before|first|otherwise|will not work|required|must)\b`,
      raw`|\b(?:requires?|will not work without|must)\b[^\n]{0,40}?\b(?:download|install)\w{0,3}\b[^\n]{0,60}?${URL}`,
    ),
    why: 'Has to be downloaded before the skill works.',
  },
]
