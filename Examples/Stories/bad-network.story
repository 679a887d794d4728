# Messages are lost, or late, and devices are killed: all arrives in the end.
devices laptop phone
laptop lossy 50
phone slow 3s
laptop add mail first
phone add bank second
sync
phone set mail password third
phone kill
phone start
laptop kv set theme dark
sync
expect laptop mail password is third
expect phone kv theme is dark
expect agreement
