# Fields of a map merge one by one; a field can be a counter.
devices laptop phone
laptop kv set-field window width 100
laptop kv increment-field window opened 1
sync
laptop kv set-field window width 200
laptop kv increment-field window opened 1
phone kv set-field window height 50
phone kv set-field window width 300
phone kv increment-field window opened 1
sync
expect laptop kv window is {height: 50, opened: 3, width: 300}
expect laptop kv window conflicts 200
phone kv remove-field window height
sync
expect laptop kv window is {opened: 3, width: 300}
expect agreement
