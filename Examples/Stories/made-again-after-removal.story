# An item is made again after its deletion was forgotten; a device that was away edits the old one.
devices laptop phone tablet
laptop add mail old
sync
tablet offline
tablet set mail note "a late note"
phone delete mail
sync
advance 100d
sync
server remove-deleted
phone add mail new
sync
tablet online
sync
expect laptop mail password is new
expect laptop mail password conflicts nothing
expect tablet mail password is new
expect agreement
