# A deletion that waited on its device covers only what its user had seen.
devices laptop phone
laptop add mail first
sync
laptop offline
laptop delete mail
phone set mail password second
sync
laptop online
sync
expect laptop mail password is second
expect phone mail password is second
expect phone deleted-elsewhere mail
expect agreement
