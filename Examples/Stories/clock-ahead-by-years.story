# A stamp is at most five minutes ahead of the server's date: a later edit elsewhere is shown.
devices laptop phone
laptop add mail first
sync
laptop offline
phone clock +10y
phone set mail password "from the wrong clock"
sync
advance 10m
laptop set mail password "ten minutes later"
laptop online
sync
expect laptop mail password is "ten minutes later"
expect phone mail password is "ten minutes later"
expect phone mail password conflicts "from the wrong clock"
expect agreement
