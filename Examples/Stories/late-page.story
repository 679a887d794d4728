# A page that arrives after the device's own newer write must not bring the older state back.
devices laptop phone
laptop add mail first
sync
laptop slow 20s
phone set mail password "from the phone"
advance 65s
laptop set mail password "from the laptop"
advance 50s
laptop online
sync
expect laptop mail password is "from the laptop"
expect phone mail password is "from the laptop"
laptop delete mail
sync
expect phone lacks mail
expect agreement
