# The server goes back to before a deletion, and the device that deleted is gone.
devices laptop phone
laptop add mail first
sync
server backup
phone delete mail
sync
advance 31d
sync
server remove-deleted
expect server deleted 0
phone kill
server restore
sync
join tablet
sync
expect laptop lacks mail
expect tablet lacks mail
expect agreement
