# The same field on both: the later value is shown, the other is a conflict until it is set again.
devices laptop phone
laptop add mail first
laptop set mail pin 0000
sync
laptop set mail pin 1111
phone set mail pin 2222
sync
expect laptop mail pin is 2222
expect laptop mail pin conflicts 1111
laptop set mail pin 3333
sync
expect phone mail pin is 3333
expect phone mail pin conflicts nothing
expect agreement
