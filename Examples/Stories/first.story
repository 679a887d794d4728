# Both change a password while the server is away. The later change is shown, and none is lost.
devices laptop phone
laptop add mail first
sync

server away
laptop set mail password "from the laptop"
phone set mail password "from the phone"
expect laptop unsent 1
expect laptop unsent because server-away

server back
sync
expect laptop mail password is "from the phone"
expect laptop mail password conflicts "from the laptop"
expect agreement
