# A device leaves the account with its items, is used, and returns.
devices laptop phone
laptop add mail first
laptop add bank first
sync
phone leave
phone set mail password "while away"
laptop set bank password second
sync
phone return
sync
expect laptop mail password is "while away"
expect phone bank password is second
expect agreement
phone leave-empty
expect phone lacks mail
phone return
sync
expect phone mail password is "while away"
expect agreement
