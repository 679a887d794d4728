# An addition to a set beats a removal of the same element at the same time.
devices laptop phone
laptop kv add tags home work
sync
laptop kv remove tags home
phone kv add tags home "far away"
sync
expect laptop kv tags is [home, work, "far away"]
expect agreement
