#ifndef KEYCHAIN_SYNC_CLINUX_H
#define KEYCHAIN_SYNC_CLINUX_H

#include <sys/socket.h>

#endif
