# The server holds records, and can read none of them.
devices laptop phone
laptop add mail.example.org "a secret word"
laptop set mail.example.org note "a private note"
laptop kv set "a private key" "a private value"
sync
expect server records 2
expect server cannot-read "a secret word"
expect server cannot-read mail.example.org
expect server cannot-read "a private note"
expect server cannot-read "a private key"
expect server cannot-read "a private value"
