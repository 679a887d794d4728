# The account moves to another server; a device that still writes to the one before loses nothing.
devices laptop phone
laptop add mail first
sync
server move
laptop move
phone set mail password "on the old server"
sync
phone move
sync
expect laptop mail password is "on the old server"
expect agreement
