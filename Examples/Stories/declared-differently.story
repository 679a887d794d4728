# Two programs declare one key with different types: a conflict, and no value is lost.
devices laptop phone
laptop kv increment score 1
phone kv add score one
sync
expect laptop kv score conflicts 1
expect laptop kv score is [one]
expect agreement
