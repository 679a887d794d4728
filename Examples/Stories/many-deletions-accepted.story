# Nearly everything is deleted, and the user of the other device lets it go; an own edit stays.
devices laptop phone
laptop add site1 password1
laptop add site2 password2
laptop add site3 password3
laptop add site4 password4
laptop add site5 password5
laptop add site6 password6
laptop add site7 password7
laptop add site8 password8
laptop add site9 password9
laptop add site10 password10
laptop add site11 password11
laptop add site12 password12
laptop add site13 password13
laptop add site14 password14
laptop add site15 password15
laptop add site16 password16
laptop add site17 password17
laptop add site18 password18
laptop add site19 password19
laptop add site20 password20
laptop add site21 password21
laptop add site22 password22
laptop add site23 password23
laptop add site24 password24
sync
phone delete site1
phone delete site2
phone delete site3
phone delete site4
phone delete site5
phone delete site6
phone delete site7
phone delete site8
phone delete site9
phone delete site10
phone delete site11
phone delete site12
phone delete site13
phone delete site14
phone delete site15
phone delete site16
phone delete site17
phone delete site18
phone delete site19
phone delete site20
phone delete site21
phone delete site22
sync
expect laptop pause deletions
laptop set site2 password "still needed"
laptop accept-deletions
sync
expect laptop lacks site3
expect phone site2 password is "still needed"
expect agreement
