# Completes `keychain` in bash. It asks `keychain help`, so it fits the program that is installed.

# Prints what `keychain help COMMAND` says of an option's value, or nothing for an option without.
_keychain_value() {
    local -a tokens
    local index
    read -ra tokens <<<"$(sed 's/[][]/ & /g' <<<"$1")"
    for index in "${!tokens[@]}"; do
        [[ ${tokens[index]} == "$2" ]] || continue
        case ${tokens[index + 1]-} in
            '[' | ']' | '|' | -* | '') ;;
            *) echo "${tokens[index + 1]}" ;;
        esac
        return
    done
}

# Prints the options of a usage line, `-lu` as `-l` and `-u`.
_keychain_options() {
    local token index
    for token in $(sed 's/[][|]/ /g' <<<"$1"); do
        case $token in
            --*) echo "$token" ;;
            -*) for ((index = 1; index < ${#token}; index++)); do echo "-${token:index:1}"; done ;;
        esac
    done
}

_keychain() {
    local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]}
    local before=${COMP_WORDS[COMP_CWORD - 1]} command='' usage index value
    COMPREPLY=()
    # `--home=DIR` is three words here.
    [[ $word == '=' ]] && word=
    [[ $before == '=' ]] && before=${COMP_WORDS[COMP_CWORD - 2]}
    for ((index = 1; index < COMP_CWORD; index++)); do
        case ${COMP_WORDS[index]} in
            --home) [[ ${COMP_WORDS[++index]} == '=' ]] && ((++index)) ;;
            -p) ((++index)) ;;
            -* | '=') ;;
            *) command=${COMP_WORDS[index]} && break ;;
        esac
    done
    if [[ -z $command ]]; then
        usage=$("$program" -h 2>/dev/null | head -n 1)
    else
        usage=$("$program" help "$command" 2>/dev/null | head -n 1)
        usage=${usage#Usage: * }
    fi
    value=$(_keychain_value "$usage" "$before")
    if [[ $before == -* && -n $value ]]; then
        case $value in
            DIR) mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
            file | output | keychain | app) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
            *\|*) mapfile -t COMPREPLY < <(compgen -W "${value//|/ }" -- "$word") ;;
        esac
    elif [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_keychain_options "$usage")" -- "$word")
    elif [[ -z $command || $command == help ]]; then
        value=$("$program" help 2>/dev/null | awk '{ print $1 }')
        mapfile -t COMPREPLY < <(compgen -W "$value" -- "$word")
    elif [[ $usage == *keychain* || $usage == *file* ]]; then
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
}

complete -o filenames -F _keychain keychain
