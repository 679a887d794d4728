# The server loses everything; a device makes the account again, and the others follow.
devices laptop phone
laptop add mail first
laptop kv set theme dark
sync
server empty
phone set mail password second
expect phone unsent because server-empty
server rebuild laptop
sync
expect server records 2
expect laptop mail password is second
expect phone kv theme is dark
expect agreement
