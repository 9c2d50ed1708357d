# SPDX-License-Identifier: Apache-2.0
# Completion of strobe for fish. Commands, options and names come from strobe itself.

function __strobe_commands
    strobe --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\)  *\(.*\)/\1\t\2/p'
end

function __strobe_options
    set -l words (commandline -opc)
    strobe $words[2] --help 2>/dev/null |
        sed -n 's/^  \(-[a-z], \)\{0,1\}\(--[a-z-]*=\{0,1\}\)[^ ]*  *\(.*\)/\2\t\3/p'
end

# Names of components of a type, each after the option to which it can be given.
function __strobe_names
    for name in (strobe plugins 2>/dev/null | awk -v type=$argv[2] '$2 == type { print $1 }')
        echo $argv[1]=$name
    end
end

complete -c strobe -n __fish_is_first_token -f -a '(__strobe_commands)'
complete -c strobe -n '__fish_seen_subcommand_from help' -f -a '(__strobe_commands)'
complete -c strobe -n 'not __fish_is_first_token; and string match -q -- "-*" (commandline -ct)' -f -a '(__strobe_options)'
complete -c strobe -n 'string match -q -- "--collect=*" (commandline -ct)' -f -a '(__strobe_names --collect collector)'
complete -c strobe -n 'string match -q -- "--export=*" (commandline -ct)' -f -a '(__strobe_names --export exporter)'
complete -c strobe -n 'string match -q -- "--pass=*" (commandline -ct)' -f -a '(__strobe_names --pass pass)'
complete -c strobe -n 'string match -q -- "--color=*" (commandline -ct)' -f -a '--color=auto --color=always --color=never'
