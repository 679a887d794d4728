# A lost phone is revoked while a tablet has edits that were not sent.
devices laptop phone tablet
laptop add mail first
laptop kv increment visits 1
sync
tablet offline
tablet set mail password second
tablet kv increment visits 10
laptop revoke phone
sync
laptop set mail note "after the revocation"
sync
phone set mail password "from the thief"
tablet online
sync
expect laptop mail password is second
expect tablet mail note is "after the revocation"
expect laptop kv visits is 11
expect phone unsent because revoked
expect agreement
