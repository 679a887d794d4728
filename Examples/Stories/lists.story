# Elements of a list keep their order; a move and a change of the same element both count.
devices laptop phone
laptop kv append queue a b c
sync
laptop kv move-element queue 2 0
laptop kv insert queue 1 x
phone kv set-element queue 2 C
phone kv remove-element queue 0
sync
expect laptop kv queue is [C, x, b]
expect agreement
