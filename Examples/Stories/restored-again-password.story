# A restored server gets a write again that a device is about to put up; the tablet has another.
devices laptop phone tablet
laptop add mail first
sync
server backup
tablet offline
tablet set mail password other
laptop one-way
laptop set mail password second
advance 10s
laptop offline
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
phone online
sync
tablet online
sync
expect agreement
expect phone mail password is second
expect phone mail password conflicts other
expect phone mail password history first
