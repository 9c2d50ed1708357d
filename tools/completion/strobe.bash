# SPDX-License-Identifier: Apache-2.0
# Completion of strobe for bash. Commands, options and names come from strobe itself.

_strobe_commands() {
    strobe --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'
}

_strobe_options() {
    strobe "$1" --help 2>/dev/null |
        sed -n 's/^  \(-[a-z], \)\{0,1\}\(--[a-z-]*=\{0,1\}\).*/\2/p'
}

# Names of components of a type.
_strobe_names() {
    strobe plugins 2>/dev/null | awk -v type="$1" '$2 == type { print $1 }'
}

_strobe() {
    local current previous command words=""
    # A word ends at each character of $COMP_WORDBREAKS: "--collect=gc" is three words here.
    current=${COMP_WORDS[COMP_CWORD]}
    previous=${COMP_WORDS[COMP_CWORD - 1]}
    [ "$current" = "=" ] && current="" && previous=${COMP_WORDS[COMP_CWORD - 1]}
    [ "$previous" = "=" ] && previous=${COMP_WORDS[COMP_CWORD - 2]}
    command=${COMP_WORDS[1]}
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="$(_strobe_commands) help --version --help"
    elif [ "$previous" = "--collect" ]; then
        words=$(_strobe_names collector)
    elif [ "$previous" = "--export" ]; then
        words=$(_strobe_names exporter)
    elif [ "$previous" = "--pass" ]; then
        words=$(_strobe_names pass)
    elif [ "$previous" = "--color" ]; then
        words="auto always never"
    elif [ "$command" = "help" ]; then
        words=$(_strobe_commands)
    elif [ "${current:0:1}" = "-" ]; then
        words=$(_strobe_options "$command")
    fi
    [ -n "$words" ] && mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    case "${COMPREPLY[*]}" in *=) compopt -o nospace 2>/dev/null ;; esac
}

complete -o default -F _strobe strobe
