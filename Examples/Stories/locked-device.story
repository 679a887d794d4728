# A locked device stores what it receives, sealed, and shows it after the unlock.
devices laptop phone
laptop add mail first
sync
phone lock
laptop set mail password second
laptop kv set theme dark
sync
phone unlock
expect phone mail password is second
sync
expect phone kv theme is dark
expect agreement
