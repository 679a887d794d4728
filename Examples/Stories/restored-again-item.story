# The same with an item that was deleted before the backup and made again since.
devices laptop phone tablet
laptop add mail first
sync
laptop delete mail
sync
server backup
laptop one-way
laptop add mail second
advance 10s
laptop offline
tablet offline
phone offline
server restore
phone online
phone slow 100ms
advance 1200ms
expect phone mail password is second
expect phone unsent 1
phone offline
server put-back
laptop online
sync
expect laptop mail password is second
phone online
sync
tablet online
sync
expect agreement
expect phone mail password is second
expect laptop mail password is second
expect tablet mail password is second
