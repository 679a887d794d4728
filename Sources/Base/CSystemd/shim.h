#ifndef KEYCHAIN_SYNC_CSYSTEMD_H
#define KEYCHAIN_SYNC_CSYSTEMD_H

#include <systemd/sd-bus.h>

#endif
