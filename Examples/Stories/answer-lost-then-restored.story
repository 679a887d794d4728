# The server takes an edit, its answer is lost, the server is restored, and the item deleted.
devices laptop phone
laptop add mail first
sync
server backup
laptop one-way
laptop set mail password second
advance 10s
expect phone mail password is second
server restore
laptop online
laptop delete mail
sync
expect laptop lacks mail
expect phone lacks mail
expect agreement
