#ifndef ROOST_FILES_H
#define ROOST_FILES_H

/* Writes all buffered data of the file system that contains an open file to the disk: syncfs(2) on Linux, sync(2)
   elsewhere. Returns 0, or -1 with errno set. */
int roost_synchronize_all(int file);

/* Adds an action to a posix_spawn_file_actions_t that closes all files from a number on in the new program. Returns 0,
   or an error number; adds nothing and returns 0 where the system has no such action. */
int roost_close_inherited(void *actions, int first);

#endif
