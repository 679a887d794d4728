# Changes of different fields join: nobody loses any.
devices laptop phone
laptop add mail first
sync
laptop set mail note "from the laptop"
laptop set mail pin 1234
phone set mail password second
phone set mail title "My mail"
sync
expect laptop mail password is second
expect laptop mail title is "My mail"
expect phone mail note is "from the laptop"
expect phone mail pin is 1234
expect phone mail password conflicts nothing
expect agreement
