#ifndef ROOST_FILES_H
#define ROOST_FILES_H

/* Writes all buffered data of the file system that contains an open file to the disk: syncfs(2) on Linux, sync(2)
   elsewhere. Returns 0, or -1 with errno set. */
int roost_synchronize_all(int file);

/* Lets a program that posix_spawn starts inherit no file from a number on: closefrom(3) of its actions, a
   posix_spawn_file_actions_t. Returns 0, or an error number; 0 without effect where the system cannot do it. */
int roost_close_inherited(void *actions, int first);

#endif
