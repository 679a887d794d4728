# Completes `keychain` in fish. It asks `keychain help`, so it fits the program that is installed.

# Prints the command that was typed already, if any.
function __keychain_command
    set -l skip no
    for word in (commandline -opc)[2..-1]
        if test $skip = yes
            set skip no
            continue
        end
        switch $word
            case --home -p
                set skip yes
            case '-*'
            case '*'
                echo $word
                return 0
        end
    end
    return 1
end

# Prints candidates for the word at the cursor: values of an option, options, commands or files.
function __keychain_candidates
    set -l program (commandline -opc)[1]
    set -l before (commandline -opc)[-1]
    set -l word (commandline -ct)
    set -l command (__keychain_command)
    set -l usage
    if test -z "$command"
        set usage ($program -h 2>/dev/null)[1]
    else
        set usage (string replace -r '^Usage: \S+ ' '' -- ($program help $command 2>/dev/null)[1])
    end
    set -l value (string match -r -g -- "(?:^|[\[ |])$before ([^-\s\[\]|][^\s\[\]]*)" $usage)[1]
    if string match -q -- '-*' $before; and test -n "$value"
        switch $value
            case DIR
                __fish_complete_directories $word
            case file output keychain app
                __fish_complete_path $word
            case '*|*'
                string split '|' -- $value
        end
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
    else if test -z "$command" -o "$command" = help
        $program help 2>/dev/null | string replace -r '^\s+(\S+)\s+' '$1\t'
    else if string match -qr 'keychain|file' -- $usage
        __fish_complete_path $word
    end
end

complete -c keychain -f -a '(__keychain_candidates)'
