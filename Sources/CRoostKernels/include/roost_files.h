#ifndef ROOST_FILES_H
#define ROOST_FILES_H

/* Makes all that was written to the file system of an open file last, as syncfs(2) of Linux, or sync(2) where
   there is none. Returns 0, or -1 with errno. */
int roost_synchronize_all(int file);

#endif
