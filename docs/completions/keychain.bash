# Completes `keychain` in bash. It asks the program for its help and for the titles, tags and field
# names of items, so it fits the program that is installed. It never reads a secret.

# Prints a word as the shell will read it: without quotes and backslashes.
_keychain_meant() {
    local text=$1
    case $text in
        \'*) text=${text#\'} && printf '%s' "${text%\'}" ;;
        \"*) text=${text#\"} && sed 's/\\\(["$`\\]\)/\1/g' <<<"${text%\"}" ;;
        *)
            # shellcheck disable=SC2162 # `read` takes the backslashes away.
            IFS= read text <<<"$text" && printf '%s' "$text"
            ;;
    esac
}

# Offers the lines of standard input that begin with the word at the cursor, quoted as that is.
_keychain_offer() {
    local line
    while IFS= read -r line; do
        [[ $line == "$meant"* ]] || continue
        line=${line:$kept}
        case $word in
            \'*) line=${line//\'/\'\\\'\'} ;;
            \"*) line=$(sed 's/["$`\\]/\\&/g' <<<"$line") ;;
            *) [[ $line ]] && printf -v line %q "$line" ;;
        esac
        COMPREPLY+=("$line")
    done
}

# Offers files (-f) or folders (-d).
_keychain_files() {
    local path
    compopt -o filenames 2>/dev/null
    while IFS= read -r path; do COMPREPLY+=("${path:$kept}"); done < <(compgen "$1" -- "$meant")
}

# Asks about items, unless there is no keychain yet: the question would make one.
_keychain_ask() {
    local folder=${KEYCHAIN_SYNC_HOME:-${XDG_DATA_HOME:-$HOME/.local/share}/keychain-sync}
    folder=${home:-$folder}
    [[ -e $folder/keychain.db ]] && "$program" "$@" --home "$folder" 2>/dev/null </dev/null
}

# Prints the names of the values of an item; with a pattern those of the lines that match it.
_keychain_fields() {
    [[ $1 && $1 != -* ]] || return
    _keychain_ask show "$1" | sed -nE "/^  [^ !].*$2/s/^  (([^ ]| [^ ])+)  .*/\1/p" \
        | grep -vxE 'address|tags|changed|history'
}

# Leaves of the word at the cursor what is behind its first =.
_keychain_behind_sign() {
    local name=${word%%=*}
    word=${word#*=}
    meant=$(_keychain_meant "$word")
    ((kept = kept > ${#name} ? kept - ${#name} - 1 : 0))
}

# Offers what may stand where the help says TYPE, FILE or the like.
_keychain_value() {
    case $1 in
        DIR) _keychain_files -d ;;
        FILE | TEMPLATE | file | output | keychain | app) _keychain_files -f ;;
        TYPE) _keychain_offer < <(printf '%s\n' login note card identity ssh-key wifi passkey) ;;
        NAME | NAME...)
            if [[ $meant == -* ]]; then return; fi
            _keychain_offer < <(_keychain_ask names ${meant:+"$meant"})
            ;;
        ITEM)
            if [[ $meant == -* ]]; then return; fi
            _keychain_offer < <(_keychain_ask names --deleted ${meant:+"$meant"})
            ;;
        FIELD | FIELD\[=VALUE\]) _keychain_offer < <(_keychain_fields "${operands[0]}") ;;
        TAG | TAG...) _keychain_offer < <(_keychain_ask names --tags) ;;
        REFERENCE | REFERENCE...)
            _keychain_offer < <(_keychain_ask names --references ${meant:+"$meant"})
            ;;
        NAME=REFERENCE)
            if [[ $word != *=* ]]; then return; fi
            _keychain_behind_sign
            _keychain_value REFERENCE
            ;;
        ATTACHMENT) _keychain_offer < <(_keychain_fields "${operands[0]}" '  file, [0-9]') ;;
        *\|*) _keychain_offer <<<"${1//|/$'\n'}" ;;
    esac
}

# Completes a command of macOS's `security` from its usage, which has its options in brackets.
_keychain_security() {
    local -a tokens options=()
    local token before=${words[cword - 1]} index
    read -ra tokens <<<"$(sed 's/[][]/ & /g' <<<"$1")"
    for index in "${!tokens[@]}"; do
        if [[ $before == -* && ${tokens[index]} == "$before" ]]; then
            case ${tokens[index + 1]-} in
                '[' | ']' | '|' | -* | '') ;;
                *) _keychain_value "${tokens[index + 1]}" && return ;;
            esac
        fi
    done
    for token in $(sed 's/[][|]/ /g' <<<"$1"); do
        case $token in
            --*) options+=("$token") ;;
            -*)
                for ((index = 1; index < ${#token}; index++)); do
                    options+=("-${token:index:1}")
                done
                ;;
        esac
    done
    if [[ $word == -* ]]; then
        _keychain_offer < <(printf '%s\n' "${options[@]}")
    elif [[ -z $command || $command == help ]]; then
        _keychain_offer < <("$program" help 2>/dev/null | awk '/^ / { print $1 }')
    elif [[ $1 == *keychain* || $1 == *file* ]]; then
        _keychain_files -f
    fi
}

# Completes a command for people from its help, which has a line for each option.
_keychain_people() {
    local -A values=()
    local -a tokens operands=()
    local line token index before=
    local option='^ +(-([a-z]), )?--([a-z-]+)( ([^ ]+))?'
    while IFS= read -r line; do
        [[ $line =~ $option ]] || continue
        values[--${BASH_REMATCH[3]}]=${BASH_REMATCH[5]}
        [[ ${BASH_REMATCH[2]} ]] && values[-${BASH_REMATCH[2]}]=${BASH_REMATCH[5]}
    done <<<"$1"
    for ((index = place + 1; index < cword; index++)); do
        token=${words[index]}
        if [[ $before ]]; then
            before=
        elif [[ $token == -- ]]; then
            # What follows is a command of its own.
            if declare -F _command_offset >/dev/null; then
                _command_offset "$((index + COMP_CWORD - cword + 1))"
            elif ((index + 1 == cword)); then
                _keychain_offer < <(compgen -c -- "$meant" | sort -u)
            else
                _keychain_files -f
            fi
            return
        elif [[ $token == -* ]]; then
            [[ ${values[$token]-} ]] && before=$token
        else
            operands+=("$(_keychain_meant "$token")")
        fi
    done
    if [[ $before ]]; then
        _keychain_value "${values[$before]}"
    elif [[ $word == --*=* ]]; then
        before=${word%%=*}
        _keychain_behind_sign
        _keychain_value "${values[$before]-}"
    elif [[ $word == -* ]]; then
        _keychain_offer < <(printf '%s\n' "${!values[@]}" | sort)
    else
        read -r line <<<"$1"
        read -ra tokens <<<"${line#Usage: keychain * }"
        index=${#operands[@]}
        # An operand with dots may be repeated: NAME... or TAG...
        for token in "${!tokens[@]}"; do
            [[ ${tokens[token]} == *... ]] && ((token < index)) && index=$token && break
        done
        token=${tokens[index]-}
        token=${token#[}
        _keychain_value "${token%]}"
    fi
}

_keychain() {
    local program=${COMP_WORDS[0]} line=${COMP_LINE-} command='' home='' help place word meant
    local index piece head kept=0 cword=-1
    local -a words=()
    COMPREPLY=()
    # bash splits words at : and =, as in --home=DIR; what no space divides is one word.
    for ((index = 0; index <= COMP_CWORD; index++)); do
        piece=${COMP_WORDS[index]}
        head=${line%%"$piece"*}
        if [[ -z $line || -z $piece || $head || $index -eq 0 ]]; then
            words[++cword]=$piece
        else
            # Only the last piece is replaced; a : or = is none, and an @ belongs to the next.
            kept=$(_keychain_meant "${words[cword]%@}")
            kept=${#kept}
            [[ $piece == [:=] ]] && ((++kept))
            words[cword]+=$piece
            line=${line#"$piece"}
            continue
        fi
        kept=0
        line=${line#"$head$piece"}
    done
    word=${words[cword]}
    meant=$(_keychain_meant "$word")
    for ((place = 1; place < cword; place++)); do
        case ${words[place]} in
            --home) ((++place)) && home=$(_keychain_meant "${words[place]}") ;;
            --home=*) home=$(_keychain_meant "${words[place]#*=}") ;;
            -p) ((++place)) ;;
            -*) ;;
            *) command=${words[place]} && break ;;
        esac
    done
    if [[ -z $command ]]; then
        help=$("$program" -h 2>/dev/null)
    else
        help=$("$program" help "$command" 2>/dev/null)
    fi
    if [[ $command && $help == 'Usage: keychain '* ]]; then
        _keychain_people "$help"
    else
        help=${help%%$'\n'*}
        _keychain_security "${help#Usage: * }"
    fi
}

complete -F _keychain keychain
