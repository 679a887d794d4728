# Only the server's file is put back. A device that never wrote anything notices it.
devices laptop phone tablet
server backup
laptop add mail first
sync
laptop kill
server put-back
tablet add bank second
sync
expect phone shows mail
expect tablet shows mail
expect phone shows bank
expect server records 2
expect agreement
