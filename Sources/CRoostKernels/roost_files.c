#define _GNU_SOURCE
#include "roost_files.h"

#include <unistd.h>

int roost_synchronize_all(int file) {
#ifdef __linux__
    return syncfs(file);
#else
    (void)file;
    sync();
    return 0;
#endif
}
