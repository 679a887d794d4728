# An item is renamed to a place where another device has made an item meanwhile.
devices laptop phone
laptop add mail one
sync
phone offline
phone add work two
laptop rename mail work
sync
phone online
sync
expect laptop lacks mail
expect laptop work password is one
expect laptop work password conflicts two
expect agreement
