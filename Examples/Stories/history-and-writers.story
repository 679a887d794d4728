# The record says which device set a value, and keeps what was replaced.
devices laptop phone
laptop add mail first
sync
phone set mail password second
sync
laptop set mail password third
phone set mail note "a note"
sync
expect phone mail password history second first
expect phone mail password by laptop
expect laptop mail note by phone
phone rename mail post
sync
expect laptop post password by laptop
expect laptop post password history second first
expect agreement
