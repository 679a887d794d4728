# An item with a conflict is renamed: the conflict goes along.
devices laptop phone
laptop add mail one
phone add mail two
sync
expect laptop mail password is two
expect laptop mail password conflicts one
laptop rename mail post
sync
expect phone lacks mail
expect phone post password is two
expect phone post password conflicts one
expect agreement
