# The last writer of a register is shown; the other value is kept. A maximum takes the largest.
devices laptop phone
laptop kv set theme light
laptop kv declare best max
laptop kv set best 3
laptop kv declare least min
laptop kv set least 3
sync
laptop kv set theme dark
phone kv set theme blue
laptop kv set best 10
phone kv set best 7
laptop kv set least 1
phone kv set least 2
sync
expect laptop kv theme is blue
expect laptop kv theme conflicts dark
expect laptop kv theme by phone
expect phone kv best is 10
expect phone kv least is 1
phone kv set theme green
sync
expect laptop kv theme history blue dark light
laptop kv delete theme
sync
expect phone kv theme is nothing
expect agreement
