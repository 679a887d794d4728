# An item that another device deleted is made again, with its history.
devices laptop phone
laptop add mail first
laptop set mail password second
sync
phone delete mail
sync
expect laptop lacks mail
laptop restore mail
sync
expect phone mail password is second
expect phone mail password history first
expect agreement
