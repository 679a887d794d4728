# The server keeps nothing from a device because it wrote it: a copy of the device needs it.
devices laptop phone
laptop clone copy
laptop add mail first
sync
expect copy mail password is first
expect phone mail password is first
expect agreement
