# A batch replaces what a restored server never had: it is taken apart, and nothing is lost.
devices laptop phone
laptop add mail first
sync
server backup
laptop delete mail
sync
laptop offline
laptop add mail again
advance 1s
server restore
laptop online
sync
expect laptop mail password is again
expect phone mail password is again
expect agreement
