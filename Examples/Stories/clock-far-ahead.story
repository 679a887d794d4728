# A clock that is ahead decides what is shown at most, and loses nothing.
devices laptop phone
phone clock +10y
phone add mail first
sync
laptop set mail note "from the laptop"
phone set mail password second
phone set mail password third
sync
expect laptop mail password is third
expect laptop mail note is "from the laptop"
laptop set mail password fourth
sync
expect phone mail password is fourth
expect phone mail password conflicts nothing
expect agreement
