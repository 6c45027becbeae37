#ifndef ROOST_FILES_H
#define ROOST_FILES_H

/* Writes all buffered data of the file system that contains an open file to the disk: syncfs(2) on Linux, sync(2)
   elsewhere. Returns 0, or -1 with errno set. */
int roost_synchronize_all(int file);

#endif
