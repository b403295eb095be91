"""Prints a script for tab completion, which is made of the table of commands."""

WORDS = """_hubcli_words() { # <number of words before> <command> <word before> <word>
  case "$1:$2:$3:$4" in
    1:*) echo %(commands)s ;;
    *:export:--to:*) echo markdown dotprompt prompty github langfuse langchain skill claude-command copilot-prompt copilot-instructions cursor-rule agents-md ;;
    *:push:--format:*) echo text chat ;;
    *:add:--as:*) echo skill ;;
    *:add:--agent:*) echo claude-code codex cursor copilot gemini opencode amp antigravity kiro ;;
    *:--bump:*) echo auto major minor patch ;;
%(options)s
    2:completion:*) echo bash zsh fish ;;
    2:help:*) echo %(commands)s ;;
    5:push:*) echo auto major minor patch ;;
    *:update:* | *:remove:*) sed -n "s|^    \\"\\([a-z0-9-]*/[a-z0-9-]*\\)\\": {\\$|\\1|p" prompts.lock 2>/dev/null ;;
  esac
}
"""
BASH = """if [ -n "${ZSH_VERSION-}" ]; then autoload -U +X bashcompinit && bashcompinit; fi
_hubcli() {
  set -- "${COMP_WORDS[1]}" "${COMP_WORDS[COMP_CWORD - 1]}" "${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=($(compgen -W "$(_hubcli_words "$COMP_CWORD" "$@")" -- "$3"))
}
complete -o default -F _hubcli hubcli"""
# fish runs the function for sh between two single quotes, so it has none.
FISH = """function _hubcli_words
  sh -c '%s_hubcli_words "$@"' sh (count (commandline -opc)) (commandline -opc)[2] (commandline -opc)[-1] (commandline -ct) | string split -n ' '
end
complete -c hubcli -f -n '_hubcli_words | string length -q' -a '(_hubcli_words)'"""


def completion(given):
    """Prints the script for a shell."""
    (shell,) = given.take(0, 1)
    if shell not in (None, "bash", "zsh", "fish"):
        given.refuse()
    options = [
        f"    *:{name}:*:-*) echo {' '.join(option['name'] for option in command['options'])} ;;"
        for name, command in given.commands.by_name.items()
        if command["options"]
    ]
    words = WORDS % {"commands": " ".join(given.commands.by_name), "options": "\n".join(options)}
    print(FISH % words if shell == "fish" else words + BASH)
