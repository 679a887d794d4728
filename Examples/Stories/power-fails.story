# The power of a laptop and of the server fails in the middle of a write. What was not on the disk
# is lost or torn; what somebody was told is done stays, and nothing is there twice.
devices laptop phone
laptop add mail first
laptop kv increment visits 1
sync

# In the laptop's own write: nobody was told whether it is there.
laptop crash-at-write 1
laptop set mail note "perhaps"
expect laptop answered nothing
expect laptop mail password is "first"

# While the server accepts what the laptop sends.
server crash-at-write 3
laptop set mail password second
expect laptop answered done
laptop kv increment visits 1
phone kv increment visits 1
sync

# While the phone takes it.
phone crash-at-write 4
laptop set mail password third
sync

expect phone mail password is "third"
expect phone mail password history "second" "first"
expect phone kv visits is 3
expect laptop unsent 0
expect agreement
