# The server is restored when a device has got only the first page of a download.
devices laptop phone
laptop offline
phone add a 1
phone add b 2
phone add c 3
phone add d 4
phone add e 5
phone add f 6
sync
laptop slow 1s
advance 2500ms
expect laptop shows c
expect laptop lacks d
server backup
server restore
laptop online
sync
expect laptop shows a
expect laptop shows f
expect phone shows a
expect phone shows f
expect agreement
