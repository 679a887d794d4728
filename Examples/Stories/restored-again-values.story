# The same with a counter, a list, a set and a map.
devices laptop phone tablet
laptop kv increment visits 1
laptop kv append list a
laptop kv add set a
laptop kv set-field map a 1
sync
server backup
laptop one-way
laptop kv increment visits 10
laptop kv append list b
laptop kv add set b
laptop kv set-field map b 2
advance 10s
laptop offline
tablet offline
phone offline
server restore
phone online
phone slow 100ms
advance 1200ms
expect phone kv visits is 11
phone offline
server put-back
laptop online
sync
phone online
sync
tablet online
sync
expect agreement
expect phone kv visits is 11
expect phone kv list is [a, b]
expect phone kv map is {a: 1, b: 2}
