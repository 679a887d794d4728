# One machine with server and laptop is put back, and writes something else than before.
devices laptop phone
laptop copy
server backup
laptop add mail one
sync
laptop put-back
server restore
laptop add mail two
sync
expect phone mail password is two
expect phone mail password conflicts one
expect agreement
