# A note that was set at the same time keeps the item, with its password.
devices laptop phone
laptop add mail first
sync
laptop delete mail
phone set mail note "about mail"
sync
expect laptop mail password is first
expect laptop mail note is "about mail"
expect agreement
