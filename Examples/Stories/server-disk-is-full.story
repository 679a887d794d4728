# The server's disk is full: it shows what it has, and accepts nothing until there is room.
devices laptop phone
laptop add mail first
sync
phone offline
laptop set mail password second
sync

server disk-full
phone online
laptop set mail note "waits"
sync
expect phone mail password is "second"
expect phone mail note is nothing
expect laptop unsent because server-full

# The devices try again by themselves.
server disk-free
advance 2m
expect phone mail note is "waits"
expect laptop unsent 0
expect agreement
