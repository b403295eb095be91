// The rules for what is reached on a machine: files outside of the folder, secrets, settings and permissions.
import { pattern, type Rule, STORE } from './rule.ts'

const raw = String.raw

/** The files that tell an agent what to do, or what it may do. */
const AGENT_FILE = raw`(?:(?:~|\$HOME|\.)?\/?\.(?:claude|codex|cursor|gemini|openclaw|clawdbot|windsurf|vscode)\/[\w.\/-]{0,60}\b(?:settings(?:\.local)?\.json|config\.(?:toml|json)|mcp\.json|hooks(?:\.json)?|\w+\.mdc)|\b(?:CLAUDE|AGENTS|SOUL|MEMORY|GEMINI|IDENTITY|HEARTBEAT|USER)\.md\b|\.cursorrules\b|\bcopilot-instructions\.md\b|\.?\bmcp\.json\b|claude_desktop_config\.json)`
/** Words for changing a file. */
const WRITE = raw`(?:append|write|add|insert|inject|modify|edit|update|overwrite|replace|prepend|save|put|copy|echo|tee|open|patch|set)`

/** The rules for what is reached on a machine. */
export const MACHINE_RULES: readonly Rule[] = [
  {
    kind: 'outside-folder',
    severity: 'info',
    words:
      '~ home tmp etc usr var appdata userprofile library opt config ssh bashrc zshrc profile local cache root documents desktop downloads claude codex',
    pattern:
      /(?<![\w/.:@])(?:~|\$\{?HOME\}?|%(?:USERPROFILE|APPDATA|LOCALAPPDATA)%|\$env:(?:USERPROFILE|APPDATA|TEMP))[/\\][\w.-][\w./-]{1,80}|(?<![\w/.:@-])\/(?:etc|usr|var|opt|root|tmp|Library|Users|home)\/[\w.-][\w./-]{0,80}/gi,
    except: /^\/usr\/bin\/env\b/,
    why: 'A place outside of the folder that the skill is for.',
  },
  {
    kind: 'outside-folder',
    severity: 'danger',
    words: 'rm rmtree rmsync rmdir remove shred mkfs dd del format',
    pattern:
      /\brm\s+-[rf]{1,2}\w{0,2}\s+(?:-\w+\s+|--no-preserve-root\s+){0,2}["']?(?:~|\$\{?HOME\}?|\/)\/?(?:\*|[\s"'`]|$)(?!\w)|\bshutil\.rmtree\(\s?(?:os\.path\.expanduser\(["']~["']\)|path\.home\(\))\s?\)|\bmkfs\.\w{2,6}\s+\/dev|\bdd\b[^\n]{0,60}\bof=\/dev\/(?:sd|nvme|disk)/gi,
    why: 'Deletes what belongs to the person.',
  },
  {
    kind: 'outside-folder',
    severity: 'danger',
    words: 'crontab launchagents launchdaemons schtasks authorized_keys currentversion startup cron autostart',
    pattern:
      /\|\s*crontab\b|\bcrontab\s+(?:-\s|-$|\S+\.(?:txt|cron))|(?:>|write|cp|mv|tee|open|copy|plist)[^\n]{0,80}(?:LaunchAgents|LaunchDaemons)\b|(?:LaunchAgents|LaunchDaemons)\/[\w.-]{2,80}\.plist|\bschtasks\b[^\n]{0,20}\/create|(?:>>?|tee|append|write|add|echo|cat|insert|open)[^\n]{0,100}authorized_keys|currentversion\\+run\b|\/etc\/cron\.\w|\.config\/autostart\//gi,
    why: 'Stays on the machine and runs again, or lets somebody in.',
  },
  {
    kind: 'outside-folder',
    severity: 'notice',
    words: 'bashrc zshrc profile bash_profile zprofile hosts systemctl launchctl hooks hookspath',
    pattern:
      /(?:>>?|tee -a|append|write|add|echo)[^\n]{0,80}\.(?:bashrc|zshrc|profile|bash_profile|zprofile)\b|>>?\s?\/etc\/hosts|\bsystemctl\s+(?:--user\s+)?enable|\blaunchctl\s+(?:load|bootstrap)|\.git\/hooks\/[\w-]{4,30}|core\.hookspath/gi,
    why: 'Changes what runs when the machine or a shell starts.',
  },
  {
    kind: 'secrets',
    severity: 'info',
    words: 'environ getenv env process export secrets',
    pattern: pattern(
      raw`(?:\bos\.environ(?:\.get\(|\[)|\bos\.getenv\(|\bgetenv\(|\bprocess\.env(?:\.|\[)|\benv::var\(|\bdeno\.env\.get\(|\$env:|\benv\[|\$\{\{\s?secrets\.)\s{0,2}["']?(?!path\b|home\b|user\b)[\w]{2,60}`,
    ),
    why: 'Reads a variable of the environment, where keys are.',
  },
  {
    kind: 'secrets',
    severity: 'notice',
    words:
      'ssh aws gnupg netrc credentials pypirc kube gcloud azure openclaw clawdbot moltbot claude codex electrum bitcoin wallet login keychain keychains cookies logins key4 extension shadow passwd id_rsa id_ed25519 id_ecdsa solana',
    pattern: pattern(STORE),
    except: /^[/\\]?\.(?:aws|ssh|azure)$|\.ssh[/\\](?:config|known_hosts)$|\.aws[/\\]?config$/i,
    why: 'A place where keys, passwords or sessions are.',
  },
  {
    kind: 'secrets',
    severity: 'danger',
    words:
      'ssh aws gnupg netrc credentials pypirc kube gcloud azure openclaw clawdbot moltbot claude codex electrum bitcoin wallet login keychain keychains cookies logins key4 extension shadow passwd id_rsa id_ed25519 id_ecdsa solana',
    pattern: pattern(
      raw`\b(?:cat|type|base64|tar|zip|cp|grep|head|strings|xxd)\b[^\n|;]{0,60}?${STORE}`,
      raw`|\b(?:read(?:file|filesync|_text|_bytes)?|open|copyfile|copy2?|expanduser|glob|createreadstream|path)\([^\n]{0,60}?${STORE}`,
      raw`|\b(?:collect|gather|steal|harvest|extract|dump|upload|exfiltrate|send|copy|read)\b[^\n]{0,80}?${STORE}`,
    ),
    except:
      /\bid_(?:rsa|ed25519|ecdsa)\.pub|etc[/\\]passwd|\.aws$|\.(?:ssh|aws)[/\\]config|known_hosts|\.ssh$|keychains?[/\\]$/i,
    why: 'Reads keys, passwords or sessions.',
  },
  {
    kind: 'secrets',
    severity: 'danger',
    words:
      'security find secret cryptunprotectdata win32crypt lsass mimikatz sekurlsa secretstorage metamask phantom 169 seed mnemonic keylogger pynput dscl getclipboard',
    pattern:
      /\bsecurity\s+(?:find-(?:generic|internet)-password|dump-keychain|unlock-keychain)|\bcryptunprotectdata\b|\blsass\b|\bmimikatz\b|\bsekurlsa\b|169\.254\.169\.254\/(?:latest\/meta-data\/iam|computemetadata)|\b(?:metamask|phantom|exodus|ledger live)\b[^\n]{0,60}(?:vault|wallet|extension|leveldb|seed)|\b(?:seed phrase|mnemonic|recovery phrase)\b[^\n]{0,60}(?:send|upload|post|read|extract|file)|\bpynput\.keyboard|\bkeylogger\b|\bdscl\b[^\n]{0,30}-authonly/gi,
    usual: /lsass|mimikatz|keylogger|pynput|sekurlsa/i,
    why: 'Takes passwords from the system, a browser or a wallet.',
  },
  {
    kind: 'secrets',
    severity: 'danger',
    words: 'environ env process printenv',
    pattern:
      /\b(?:dict|json\.dumps|str|repr|data|json)\s?[(=]\s?(?:dict\()?os\.environ(?:\.copy\(\))?\s?[),}]|\bjson\.stringify\(\s?process\.env\s?[),]|\bobject\.(?:entries|assign|keys)\((?:\{\},\s?)?process\.env\)|\.\.\.process\.env\b[^\n]{0,60}(?:fetch|post|body)|\b(?:body|data|json)\s?[:=]\s?process\.env\s?[,)};]|(?<![<\w.-])(?:printenv|env)\s?>\s?[\w~/.$-]{1,60}|\bfor\s+\w+(?:,\s?\w+)?\s+in\s+os\.environ(?:\.items\(\))?:/gi,
    usual: /for\s|object\.(?:entries|keys)/i,
    why: 'Takes the whole environment, with every key in it.',
  },
  {
    kind: 'secrets',
    severity: 'notice',
    words: 'env dotenv load_dotenv',
    pattern:
      /(?:\b(?:cat|source|open\(|grep|read(?:file(?:sync)?)?\(?|cp)\s?[^\n]{0,40}?)(?<![\w])\.env\b(?!\.(?:example|sample|template))/gi,
    why: 'Reads the file in which projects keep their keys.',
  },
  {
    kind: 'agent-settings',
    severity: 'danger',
    words:
      'dangerously bypasspermissions skipdangerousmodepermissionprompt yolo autoapprove enableallprojectmcpservers anthropic_base_url openai_base_url always_allow alwaysallow approval_policy autorun acceptedits nosandbox',
    pattern:
      /--dangerously-[\w-]{4,60}|\bbypassPermissions\b|\bskipDangerousModePermissionPrompt\b|["']?\bautoapprove["']?\s?[:=]\s?(?:true|\[?["']\*)|\benableAllProjectMcpServers["']?\s?[:=]\s?true|\b(?:anthropic|openai)_base_url\s?["']?\s?[:=]\s?["']?https?:\/\/(?!api\.(?:anthropic|openai)\.com|localhost|127\.0\.0\.1|\w+\.openai\.azure)[^\s"']{3,80}|\bapproval_policy\s?=\s?["']never/gi,
    usual: /--dangerously-(?:allow|bypass|disable-device|ignore)|base_url/i,
    why: 'Takes away what asks the person before something happens.',
  },
  {
    kind: 'agent-settings',
    severity: 'notice',
    words:
      'settings cursorrules copilot soul memory claude agents gemini identity heartbeat mcp mdc hooks claude_desktop_config config toml',
    pattern: pattern(raw`\b${WRITE}\b[^\n]{0,80}?${AGENT_FILE}`, raw`|>>?\s?["']?${AGENT_FILE}`),
    why: 'Changes what the agent reads in every session, or what it may do.',
  },
  {
    kind: 'agent-settings',
    severity: 'info',
    words:
      'settings cursorrules copilot soul memory claude agents gemini identity heartbeat mcp mdc hooks claude_desktop_config config toml',
    pattern: pattern(AGENT_FILE),
    why: 'Names a file with the settings or instructions of an agent.',
  },
  {
    kind: 'permissions',
    severity: 'notice',
    words: 'allowed sudo chmod privileged icacls doas runas setcap',
    pattern:
      /(?<![\w-])allowed[-_]tools\s?:[^\n]{0,160}|(?<![\w-])sudo\s+(?!apt|yum|dnf|pacman|password|access|privileges|permission|rights|without|is\b|or\b|and\b|to\b)[\w./-]{2,40}|\bchmod\s+(?:-R\s+)?(?:0?777|a\+rwx|[ug]\+s|4755)\b|--privileged\b|\bdoas\s+\w|\bsetcap\s+\w/gi,
    why: 'More rights than a text needs.',
  },
  {
    kind: 'permissions',
    severity: 'danger',
    words:
      'xattr spctl executionpolicy set setenforce csrutil mppreference nopasswd usermod ufw iptables tccutil defender',
    pattern:
      /\bxattr\s+-\w{0,3}[cd]\w{0,2}\s+[^\n]{0,20}(?:quarantine|\S)|\bspctl\s+--(?:master|global)-disable|\b(?:set-mppreference|add-mppreference)\b[^\n]{0,60}(?:-exclusion|-disable)|\bsetenforce\s+0|\bcsrutil\s+disable|\bNOPASSWD\s?:|\busermod\s+-\w{0,2}G\s+(?:sudo|wheel|root|admin)|\bufw\s+disable|\btccutil\s+reset/gi,
    why: 'Turns a protection of the system off.',
  },
]
