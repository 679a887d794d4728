# A laptop is cloned while its batch is on its way. Both send it; it counts once.
devices laptop phone
laptop offline
laptop add mail first
advance 1s
laptop clone copy
laptop online
sync
laptop set mail password second
sync
copy online
sync
expect phone mail password is second
expect phone mail password conflicts nothing
expect copy mail password is second
expect agreement
