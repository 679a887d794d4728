# A device that was away for long holds a write that the server had lost, and others deleted. It
# does not bring it back to them. It keeps it, since only the server says that it was deleted:
# docs/decisions/0059 and 0063.
devices laptop phone tablet
sync
server backup
laptop add mail first
sync
laptop offline
server restore
sync
expect tablet shows mail
phone delete mail
sync
advance 100d
sync
server remove-deleted
expect server deleted 0
laptop online
sync
expect laptop shows mail
expect phone lacks mail
expect tablet lacks mail
expect server records 0
