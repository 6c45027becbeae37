#ifndef ROOST_SANDBOX_H
#define ROOST_SANDBOX_H

#include <stddef.h>

/* Takes from this process, for ever, the means to write a file, to use a network and to start a program, as far as the
   kernel can: on other systems than Linux, and where it permits no filter of system calls, only writing to files ends. */
void roost_sandbox(void);

/* Ends this process by SIGXCPU after a number of further seconds of processor time, and lets it use a number of bytes
   of memory in all. */
void roost_limit(long seconds, size_t bytes);

/* Creates a pair of connected sockets that other programs do not inherit. Returns 0, or -1 with errno set. */
int roost_socket_pair(int sockets[2]);

/* Sends bytes without a signal if the receiver has ended. Returns their number, or -1 with errno set. */
long roost_send(int socket, const void *bytes, size_t count);

#endif
