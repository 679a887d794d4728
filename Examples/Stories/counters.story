# Increments add up, also while the server is away; a reset keeps concurrent increments.
devices laptop phone
laptop kv increment visits 1
sync
server away
laptop kv increment visits 2
phone kv increment visits 3
server back
sync
expect laptop kv visits is 6
laptop kv reset visits 0
phone kv increment visits 5
sync
expect laptop kv visits is 5
expect phone kv visits is 5
expect agreement
