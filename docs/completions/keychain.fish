# Completes `keychain` in fish. It asks the program for its help and for the titles, tags and field
# names of items, so it fits the program that is installed. It never reads a secret.

# Prints the words before the cursor: first the command, then those behind it; nothing without one.
function __keychain_words
    set -l skip no
    set -l words (commandline -opc)
    for index in (seq 2 (count $words))
        if test $skip = yes
            set skip no
            continue
        end
        switch $words[$index]
            case --home -p
                set skip yes
            case '-*'
            case '*'
                string join \n -- $words[$index..]
                return 0
        end
    end
    return 1
end

# Prints the folder of the keychain.
function __keychain_folder
    set -l words (commandline -opc)
    for index in (seq 2 (count $words))
        switch $words[$index]
            case --home
                set -q words[(math $index + 1)]; and echo $words[(math $index + 1)]; and return
            case '--home=*'
                string replace -- --home= '' $words[$index]
                return
        end
    end
    if set -q KEYCHAIN_SYNC_HOME
        echo $KEYCHAIN_SYNC_HOME
    else if set -q XDG_DATA_HOME
        echo $XDG_DATA_HOME/keychain-sync
    else
        echo $HOME/.local/share/keychain-sync
    end
end

# Asks about items, unless there is no keychain yet: the question would make one.
function __keychain_ask
    set -l program (commandline -opc)[1]
    set -l folder (__keychain_folder)
    test -e $folder/keychain.db; and $program $argv --home $folder 2>/dev/null </dev/null
end

# Prints the names of the values of an item; with a pattern those of the lines that match it.
function __keychain_fields
    string match -q -- '-*' "$argv[1]"; or test -z "$argv[1]"; and return
    __keychain_ask show $argv[1] | string match -r -- "^  [^ !].*$argv[2].*" \
        | string replace -rf '^  ((?:[^ ]| [^ ])+)  .*' '$1' \
        | string match -vr '^(address|tags|changed|history)$'
end

# Prints what may stand where the help says TYPE, FILE or the like: that word, then the item.
function __keychain_value
    set -l word (commandline -ct | string replace -r '^--[^=]*=' '')
    switch $argv[1]
        case DIR
            __fish_complete_directories $word
        case FILE TEMPLATE file output keychain app
            __fish_complete_path $word
        case TYPE
            printf '%s\n' login note card identity ssh-key wifi passkey
        case NAME NAME...
            __keychain_ask names
        case ITEM
            __keychain_ask names --deleted
        case TAG TAG...
            __keychain_ask names --tags
        case REFERENCE REFERENCE...
            __keychain_ask names --references $word
        case NAME=REFERENCE
            set -l name (string match -r '^[^=]*=' -- $word); or return
            for value in (__keychain_ask names --references (string replace $name '' -- $word))
                echo -- $name$value
            end
        case FIELD 'FIELD[=VALUE]'
            __keychain_fields "$argv[2]"
        case ATTACHMENT
            __keychain_fields "$argv[2]" '  file, [0-9]'
        case '*|*'
            string split '|' -- $argv[1]
    end
end

# Prints candidates for a command for people, whose help has a line for each option: the words
# before the cursor from the command on.
function __keychain_people
    set -l program (commandline -opc)[1]
    set -l help ($program help $argv[1] 2>/dev/null)
    set -l word (commandline -ct)
    # Options with the words for their values.
    set -l valued (string replace -rf '^ +(?:-[a-z], )?(--[a-z-]+ [^ ]+)  .*' '$1' -- $help) \
        (string replace -rf '^ +(-[a-z]), --[a-z-]+( [^ ]+)  .*' '$1$2' -- $help)
    set -l before
    set -l item
    set -l place 1
    for token in $argv[2..]
        if set -q before[1]
            set -e before
        else if test "$token" = --
            # What follows is a command of its own.
            set -l start (math 1 + (contains -i -- -- $argv))
            complete -C (string join ' ' -- (string escape -- $argv[$start..]) (commandline -ct))
            return
        else if string match -q -- '-*' $token
            set before (string replace -f -- "$token " '' $valued)
        else
            set place (math $place + 1)
            set -q item[1]; or set item $token
        end
    end
    if set -q before[1]
        __keychain_value $before[1] $item
    else if set -l option (string match -r -g -- '^(--[a-z-]+)=' $word)
        for value in (__keychain_value (string replace -f -- "$option " '' $valued)[1] $item)
            echo -- "$option=$value"
        end
    else if string match -q -- '-*' $word
        string replace -rf '^ +(?:-[a-z], )?(--[a-z-]+)(?: [^ ]+)?  +' '$1\t' -- $help
    else
        set -l usage (string replace -r '^Usage: keychain \S+ ?' '' -- $help[1])
        set -l tokens (string split ' ' -- $usage)
        # An operand with dots may be repeated: NAME... or TAG...
        for index in (seq (count $tokens))
            if string match -q -- '*...' $tokens[$index]; and test $index -lt $place
                set place $index
            end
        end
        set -q tokens[$place]; and __keychain_value (string trim -c '[]' -- $tokens[$place]) $item
    end
end

# Prints candidates for a command of macOS's `security`, whose usage has its options in brackets.
function __keychain_security
    set -l program (commandline -opc)[1]
    set -l before (commandline -opc)[-1]
    set -l word (commandline -ct)
    set -l usage
    if test -z "$argv[1]"
        set usage ($program -h 2>/dev/null)[1]
    else
        set usage (string replace -r '^Usage: \S+ ' '' -- ($program help $argv[1] 2>/dev/null)[1])
    end
    set -l value (string match -r -g -- "(?:^|[\[ |])$before ([^-\s\[\]|][^\s\[\]]*)" $usage)[1]
    if string match -q -- '-*' $before; and test -n "$value"
        __keychain_value $value
    else if string match -q -- '-*' $word
        for token in (string split -n ' ' -- (string replace -ra '[][|]' ' ' -- $usage))
            switch $token
                case '--*'
                    echo $token
                case '-*'
                    for letter in (string split '' -- (string sub -s 2 -- $token))
                        echo -- -$letter
                    end
            end
        end
    else if test -z "$argv[1]" -o "$argv[1]" = help
        $program help 2>/dev/null | string replace -rf '^\s+(\S+)\s+' '$1\t'
    else if string match -qr 'keychain|file' -- $usage
        __fish_complete_path $word
    end
end

function __keychain_candidates
    set -l program (commandline -opc)[1]
    set -l words (__keychain_words)
    set -l help
    test -n "$words[1]"; and set help ($program help $words[1] 2>/dev/null)
    if string match -q 'Usage: keychain *' -- "$help[1]"
        __keychain_people $words
    else
        __keychain_security $words[1]
    end
end

complete -c keychain -f -a '(__keychain_candidates)'
