# A phone is restored from its backup: what it had sent comes back to it.
devices laptop phone
laptop add mail first
sync
phone copy
phone set mail password second
sync
laptop set mail note "newer than the backup"
sync
phone put-back
expect phone mail password is first
phone set mail title "Mail"
sync
expect phone mail password is second
expect laptop mail title is Mail
expect phone mail note is "newer than the backup"
expect phone mail password conflicts nothing
expect agreement
