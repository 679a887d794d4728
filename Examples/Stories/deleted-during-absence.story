# An item that is deleted while a device has left the account goes there too when it returns.
devices laptop phone
laptop add mail first
laptop add bank first
sync
phone leave
laptop delete mail
phone set bank password "while away"
sync
phone return
sync
expect phone lacks mail
expect laptop lacks mail
expect laptop bank password is "while away"
expect laptop bank password conflicts nothing
expect agreement
