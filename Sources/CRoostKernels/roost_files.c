#define _GNU_SOURCE
#include "roost_files.h"

#include <spawn.h>
#include <unistd.h>

#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 34)
#define ROOST_HAS_CLOSEFROM
#endif
#endif

int roost_synchronize_all(int file) {
#ifdef __linux__
    return syncfs(file);
#else
    (void)file;
    sync();
    return 0;
#endif
}

int roost_close_inherited(void *actions, int first) {
#ifdef ROOST_HAS_CLOSEFROM
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
#else
    (void)actions;
    (void)first;
    return 0;
#endif
}
