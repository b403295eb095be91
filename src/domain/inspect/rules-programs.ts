// The rules for what programs and commands do.
import { FETCH, pattern, RUNNER, type Rule, STORE, URL } from './rule.ts'

const raw = String.raw

/** Installers that many good skills name. */
const KNOWN_INSTALLERS =
  /(?:astral\.sh|rustup\.rs|bun\.sh|deno\.(?:land|com)|get\.docker\.com|get\.pnpm\.io|nodesource\.com|githubusercontent\.com\/(?:homebrew|nvm-sh|anchore|aquasecurity|helm|trufflesecurity|k3d-io|cli|rhysd|golangci)|get\.helm\.sh|get\.k3s\.io|fly\.io|aka\.ms|aspire\.dev|fluxcd\.io|linkerd\.io|claude\.ai\/install|brew\.sh|get\.volta\.sh|fnm\.vercel|starship\.rs|dot\.net|sdkman\.io|install\.python-poetry\.org|ollama\.com|supabase\.com|stripe\.com|cli\.github\.com|githubcli|packages\.microsoft\.com|microsoft\.com|hashicorp\.com|googleapis\.com|google\.com|cloudflare\.com|vercel\.com|render\.com|railway\.app|semgrep\.dev|snyk\.io|temporal\.download|turso\.tech|foundry\.paradigm\.xyz|localhost|127\.0\.0\.1)/i

/** The rules for what programs and commands do. */
export const PROGRAM_RULES: readonly Rule[] = [
  {
    kind: 'network',
    severity: 'info',
    words: 'http https ws wss ftp sftp',
    pattern:
      /\b(?:https?|wss?|s?ftp):\/\/(?:[^\s/@'"<>]{1,80}@)?((?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24})(?![\w.-]*[{$<])/gi,
    shown: 1,
    except: /^(?:www\.w3\.org|json-schema\.org|purl\.org|schemas?\.[\w.-]+|json\.schemastore\.org|ns\.adobe\.com)$/i,
    why: 'The host of an address: what the agent or a program may contact.',
  },
  {
    kind: 'network',
    severity: 'danger',
    words: 'http https ws wss ftp tcp',
    pattern:
      /(?:https?|wss?|ftp):\/\/(?:[^\s/@'"<>]{1,80}@)?((?!(?:0|10|127|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01]))\.|1\.2\.3\.4|1\.1\.1\.1|8\.8\.)(?:\d{1,3}\.){3}\d{1,3})(?![\w.]|\/\d{1,2}\b)/gi,
    shown: 1,
    why: 'An address without a name: nobody answers for it, and good services have names.',
  },
  {
    kind: 'network',
    severity: 'info',
    words:
      'requests httpx urllib urlopen aiohttp axios fetch xmlhttprequest socket create_connection createconnection connect websocket curl_exec httpclient webclient',
    where: 'code',
    pattern:
      /\b(?:requests\.(?:get|post|put|request|session)|httpx\.\w{2,20}|urllib\.request|urlopen|aiohttp\.clientsession|axios(?:\.\w{2,12})?|fetch|new xmlhttprequest|socket\.(?:socket|create_connection)|net\.(?:connect|createconnection)|new websocket|curl_exec|new httpclient|net\.webclient)\s?\(/gi,
    why: 'A program contacts a host, which its code chooses.',
  },
  {
    kind: 'shell',
    severity: 'danger',
    words: 'tcp nc ncat netcat socat pty dup2 tcpclient mkfifo',
    pattern: pattern(
      raw`\/dev\/(?:tcp|udp)\/[\w.$%{}-]{3,80}\/[\d$]`,
      raw`|\b(?:nc|ncat|netcat)(?:\.exe|\.traditional)?\s[^\n]{0,60}?-\w{0,6}[ec]\w{0,3}\s+\S{0,20}(?:sh|cmd|bash)\b`,
      raw`|\bsocat\b[^\n]{0,100}exec:|\bpty\.spawn\(|\bdup2\([^\n]{0,30}fileno|\bmkfifo\b[^\n]{0,80}\b(?:nc|ncat|sh)\b`,
      raw`|net\.sockets\.tcpclient`,
    ),
    why: 'A shell that somebody else commands.',
  },
  {
    kind: 'shell',
    severity: 'info',
    words:
      'subprocess system popen child_process execsync execfile spawn spawnsync execa shelljs processstartinfo exec start shell_exec execv execve execl execlp execvp',
    pattern:
      /\bsubprocess\.(?:run|call|popen|check_output|check_call|getoutput)|\bos\.(?:system|popen|exec[lv]p?e?)\s?\(|\bchild_process\b|\bexec(?:file)?sync\(|\bexecfile\(|\bspawn(?:sync)?\(|\bexeca\(|\bshelljs\b|\bprocessstartinfo\b|runtime\(\)\.exec\(|\bprocess\.start\(|\bshell_exec\(/gi,
    why: 'A program runs other programs.',
  },
  {
    kind: 'interpreter',
    severity: 'notice',
    words: 'python python3 node perl ruby php deno bun osascript pwsh powershell cmd bash sh zsh',
    pattern:
      /\b(?:python[23]?|perl|ruby|php|node|deno|bun|osascript)(?:\.exe)?\s+(?:eval\s|-\w{0,3}[cer]\b|-)\s{0,3}["'$<]|\b(?:pwsh|powershell)(?:\.exe)?\s+[^\n]{0,60}-c(?:ommand)?\s/gi,
    why: 'A program written in a command, which no file shows.',
  },
  {
    kind: 'interpreter',
    severity: 'notice',
    words: 'eval exec function compile __import__ iex invoke',
    where: 'code',
    pattern:
      /(?<![\w.$>-])(?:eval|exec)\s?\((?!\))(?!["']use )|\bnew function\(|\b__import__\(|(?<![\w-])(?:iex|invoke-expression)\b(?=\s)/gi,
    why: 'Runs text that the program makes.',
  },
  {
    kind: 'install',
    severity: 'info',
    words:
      'pip pip3 pipx uv uvx npm npx pnpm yarn bun bunx brew apt apt-get get yum dnf apk pacman cargo gem go dotnet choco winget conda composer',
    pattern: pattern(
      raw`\b(?:pip3?|pipx|uv pip|uv tool|conda|brew|apt(?:-get)?|yum|dnf|cargo|gem|go|choco|winget|npm)\s+(?:-[\w-]{1,20}\s+){0,3}(?:install|i)\s+(?:-[\w-]{1,20}\s+){0,4}[\w@.\/\[\]:=<>~^-]{2,80}`,
      raw`|\b(?:npm|pnpm|yarn|bun|uv|composer|cargo|dotnet)\s+(?:add|require|tool install)\s+(?:-[\w-]{1,20}\s+){0,4}[\w@.\/-]{2,80}`,
      raw`|\bapk\s+add\s+[\w@.-]{2,60}|\b(?:npx|bunx|uvx|pnpm dlx|yarn dlx)\s+(?:-[\w-]{1,20}\s+){0,3}[\w@.\/-]{2,80}`,
    ),
    except:
      /\binstall\s+(?:the|a|an|it|and|or|from|with|your|this|that|these|all|them|to|for|if|via|using|when|is|dependencies)$/i,
    why: 'Installs a package, or runs one from a registry.',
  },
  {
    kind: 'install',
    severity: 'notice',
    words: 'pip pip3 uv npm pnpm yarn index registry extra gem go',
    pattern: pattern(
      raw`\b(?:pip3?|uv|npm|pnpm|yarn|gem)\s+(?:install|add|i)\b[^\n]{0,80}?(?:git\+|https?:\/\/|file:)[^\s"']{3,160}`,
      raw`|--(?:extra-)?index-url[= ]\s?[^\s"']{4,160}|--registry[= ]\s?https?:[^\s"']{4,160}|--trusted-host\b`,
    ),
    why: 'Installs from somewhere else than the usual registry.',
  },
  {
    kind: 'install',
    severity: 'notice',
    words: 'preinstall postinstall cmdclass',
    pattern: /"(?:pre|post)install"\s?:\s?"[^"\n]{2,160}"?|\bcmdclass\s?=/gi,
    why: 'Runs a program while it is installed.',
  },
  {
    kind: 'download-and-run',
    severity: 'danger',
    words: 'curl wget iwr irm invoke fetch downloadstring urlopen urlretrieve requests',
    usual: KNOWN_INSTALLERS,
    pattern: pattern(
      raw`${FETCH}[^\n|]{1,300}\|\s*(?:tee\s+\S{1,80}\s*\|\s*)?${RUNNER}`,
      raw`|(?:\b(?:ba|z|da)?sh|\bsource|\beval|\bpython3?|(?<=\s|^)\.)\s+(?:-\w{1,4}\s+)?["']?(?:<\(|\$\(|\x60)\s*${FETCH}[^\n]{0,200}`,
      raw`|\b(?:iex|invoke-expression)\b[^\n]{0,60}(?:${FETCH}|downloadstring|net\.webclient)[^\n]{0,160}`,
      raw`|\b(?:exec|eval)\s?\([^\n]{0,60}(?:requests\.get|urlopen|fetch)\(?[^\n]{0,160}`,
    ),
    why: 'Runs what an address answers at that moment, which nobody has read.',
  },
  {
    kind: 'download-and-run',
    severity: 'danger',
    words: 'certutil mshta bitsadmin regsvr32 rundll32 osascript',
    pattern: pattern(
      raw`\bcertutil\b[^\n]{0,80}-urlcache|\bmshta(?:\.exe)?\s+["']?(?:https?:|javascript:|vbscript:)|\bbitsadmin\b[^\n]{0,60}\/transfer`,
      raw`|\bregsvr32\b[^\n]{0,60}\/i:http|\brundll32\b[^\n]{0,60}(?:https?:|javascript:)|\bosascript\b[^\n]{0,100}do shell script[^\n]{0,120}`,
    ),
    why: 'Downloads and runs with a tool of the system, as malware does.',
  },
  {
    kind: 'download-and-run',
    severity: 'danger',
    words: 'curl wget iwr invoke',
    usual: new RegExp(`${KNOWN_INSTALLERS.source}|github\\.com/|dl\\.k8s\\.io|\\.gov|amazonaws\\.com`, 'i'),
    pattern: pattern(
      raw`${FETCH}[^\n]{0,40}?${URL}[^\n]{0,160}?(?:&&|;|\s)\s*(?:sudo\s+)?(?:chmod\s+[+\w]*[x7]\w*\s+(?:\S{1,80}/)?[\w.-]{1,60}|(?:ba|z)?sh\s+(?:\/|\.\/|~\/|[\w-]+\.sh)|python3?\s+\S{0,40}\.py|\.\/[\w.-]{1,60}|start(?:-process)?\s|open\s+\S)`,
    ),
    why: 'Downloads a program and runs it.',
  },
  {
    kind: 'encoded',
    severity: 'danger',
    words:
      'base64 b64decode atob frombase64string fromcharcode enc encodedcommand e ec decompress marshal fromhex xxd unhexlify codecs openssl gunzip chr rot13',
    pattern: pattern(
      raw`\bbase64\s+(?:-\w{0,3}d\w{0,3}|--decode)\b[^\n|]{0,120}\|\s*(?:gunzip|gzip -d|bunzip2|xz -d)?[^\n|]{0,20}\|?\s*${RUNNER}`,
      raw`|(?:eval|\b(?:ba|z)?sh\s+-c|source|python3?\s+-c)\s+["']?(?:\$\(|\x60|<\()[^\n]{0,200}base64\s+(?:-\w{0,3}d|--decode)`,
      raw`|\b(?:eval|exec|execsync|function|compile|os\.system|popen|subprocess\.\w{2,16}|spawn|__import__|loads|iex|invoke-expression)\s{0,2}\(?[^\n]{0,100}(?:b64decode|atob\(|frombase64string|decompress\(|marshal\.loads|fromhex\(|unhexlify\(|codecs\.decode|fromcharcode|buffer\.from\([^\n]{0,400}base64|\.join\(\s?(?:map\()?chr)`,
      raw`|\b(?:powershell|pwsh)(?:\.exe)?\b[^\n]{0,80}\s-e(?:nc|ncodedcommand|c)?\s+["']?[a-z0-9+\/=]{16}`,
      raw`|\b(?:xxd\s+-r|openssl\s+enc\s+-d)[^\n]{0,80}\|\s*${RUNNER}|frombase64string[^\n]{0,120}(?:iex|invoke)\b`,
    ),
    why: 'Runs a program that is written so that nobody can read it.',
  },
  {
    kind: 'encoded',
    severity: 'notice',
    words: 'base64 b64decode atob fromhex unhexlify frombase64string fromcharcode rot13 marshal',
    where: 'code',
    pattern:
      /\bbase64\s+(?:-\w{0,3}d|--decode)\b|\bb64decode\(|(?<![\w.])atob\(|\bbytes\.fromhex\(|\bunhexlify\(|frombase64string\(|fromcharcode\((?:\s?(?:0x)?[\da-f]{2,3},){8}|\brot_?13\b|\bmarshal\.loads\(/gi,
    why: 'Decodes something.',
  },
  {
    kind: 'encoded',
    severity: 'notice',
    words: 'x00 x20 x63 x65 x68 x69 x2f x6f x73 x74 u0065 u0063 u0073 u0068 x61 x72 x75 x5f x70',
    pattern: /(?:\\x[\da-f]{2}){12,200}|(?:\\u00[\da-f]{2}){12,200}/gi,
    why: 'Text that is written as codes.',
  },
  {
    kind: 'encoded',
    severity: 'notice',
    words: '*',
    pattern:
      /(?<![\w+/=.-]|base64,\s?)(?![\w-]{0,80}[=/-]{6})(?=[^\s]{0,80}\d)(?=[^\s]{0,80}[A-Z])(?=[^\s]{0,80}[a-z])[A-Za-z0-9+/_-]{160,1200}={0,2}/g,
    except: /^(?:sha\d+|[\da-f]+$|[A-Za-z0-9]{1,30}(?:[/-][A-Za-z0-9]{0,30}){6})/i,
    why: 'A long text that nobody can read.',
  },
  {
    kind: 'sends-data',
    severity: 'danger',
    words: 'curl wget nslookup dig ping scp rsync',
    pattern: pattern(
      raw`\b(?:curl|wget|http)\b[^\n]{0,200}\s(?:-d|-F|-T|--data(?:-\w{3,9})?|--form|--upload-file|--post-(?:data|file)|--body-\w{4})[= ]?[^\n]{0,80}?(?:@?(?:~\/|\$\{?HOME\}?\/)\.|@\/etc\/|@[^\s"']{0,40}\.env\b|\$\(\s?(?:cat|env|printenv|whoami|hostname|base64|tar|find|ls|id|uname|security|git config)\b|\x60(?:cat|env|whoami|hostname)\b)`,
      raw`|\b(?:nslookup|dig|ping)\s[^\n]{0,60}\$\([^\n]{0,80}`,
      raw`|\bcurl\b[^\n]{0,160}[?&]\w{1,20}=(?:\$\(|\x60)\s?(?:cat|env|printenv|base64|whoami|hostname|security)\b`,
      raw`|\b(?:scp|rsync)\b[^\n]{0,60}${STORE}[^\n]{0,60}@`,
    ),
    why: 'Sends what is on this machine to somebody.',
  },
  {
    kind: 'sends-data',
    severity: 'danger',
    words: 'curl wget nc ncat s_client',
    pattern: pattern(
      raw`(?:\b(?:env|printenv|set|history|export)\b(?:\s+-\w+)?|\b(?:cat|tar|zip|base64|grep|find|gzip)\b[^\n|]{0,80}?(?:${STORE}|\.env\b|~\/|\$HOME)[^\n|]{0,60})\s*\|(?:[^\n|]{0,60}\|){0,2}\s*(?:curl|wget|nc|ncat|http|openssl s_client)\b[^\n]{0,120}`,
    ),
    why: 'Sends what is on this machine to somebody.',
  },
  {
    kind: 'sends-data',
    severity: 'danger',
    words:
      'webhook requestbin oast oastify interact burpcollaborator canarytokens pipedream rentry glot pastebin transfer 0x0 beeceptor requestcatcher dnslog',
    pattern:
      /\b(?:webhook\.site|requestbin\.(?:com|net)|oast\.\w{2,8}|oastify\.com|interact\.sh|burpcollaborator\.net|canarytokens\.(?:com|org)|m\.pipedream\.net|beeceptor\.com|requestcatcher\.com|dnslog\.cn|transfer\.sh|0x0\.st|glot\.io\/snippets|rentry\.co|pastebin\.com\/raw)\b/gi,
    usual: /transfer\.sh|0x0\.st/i,
    why: 'A place where anybody collects what others send, or keeps a text that can change.',
  },
  {
    kind: 'sends-data',
    severity: 'notice',
    words: 'telegram discord ngrok trycloudflare slack',
    pattern:
      /\bapi\.telegram\.org\/bot|\bdiscord(?:app)?\.com\/api\/webhooks|\bhooks\.slack\.com\/services|\b[\w-]{2,63}\.ngrok(?:-free)?\.(?:io|app|dev)|\b[\w-]{2,63}\.trycloudflare\.com/gi,
    why: 'Sends messages to a person, or to a machine that can be anywhere.',
  },
  {
    kind: 'sends-data',
    severity: 'info',
    words: 'post put postasync upload_file smtplib sendmail putobject',
    where: 'code',
    pattern:
      /\b(?:requests|httpx|axios|client|session|http)\.(?:post|put)\s?\(|method\s?[:=]\s?["'](?:post|put)["']|-X\s?(?:post|put)\b|\bsmtplib\.|\bsendmail\s?\(|\bupload_file\s?\(|\.postasync\(|\bputobject/gi,
    why: 'Sends something, as most programs for services do.',
  },
]
