#ifndef FAULTY_VFS_H
#define FAULTY_VFS_H

/* What SQLite is about to do to a file. */
enum faulty_step { FAULTY_WRITE, FAULTY_SYNC, FAULTY_TRUNCATE, FAULTY_DELETE, FAULTY_OPEN };

/* What shall happen. */
enum faulty_answer { FAULTY_GO_ON, FAULTY_IO_ERROR, FAULTY_FULL, FAULTY_HALF_THEN_IO_ERROR, FAULTY_HALF_THEN_KILL };

typedef int (*faulty_hook)(int step, const char *path);

/* Makes a layer over the default file system the default one for SQLite: it asks the hook before each step.
   Returns an SQLite result code. */
int faulty_vfs_install(faulty_hook hook);

/* Sets another hook; NULL lets everything happen. */
void faulty_vfs_set(faulty_hook hook);

#endif
