# A laptop's disk is full: what its user sets is refused, and nothing that was there is lost.
devices laptop phone
laptop add mail first
sync
laptop offline
laptop set mail note "not sent yet"

laptop disk-full
laptop online
laptop set mail password "refused"
expect laptop answered disk-full
expect laptop mail password is "first"
phone set mail password "from the phone"
sync

# It can note neither what it hears nor what it sends.
expect laptop mail password is "first"
expect laptop unsent because disk-full
expect phone mail note is nothing

laptop disk-free
sync
expect laptop mail password is "from the phone"
expect phone mail note is "not sent yet"
expect laptop unsent 0
expect agreement
