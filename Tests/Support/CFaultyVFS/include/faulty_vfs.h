#ifndef FAULTY_VFS_H
#define FAULTY_VFS_H

/* A file operation that SQLite is about to perform. */
enum faulty_step { FAULTY_WRITE, FAULTY_SYNC, FAULTY_TRUNCATE, FAULTY_DELETE, FAULTY_OPEN };

/* The result of the operation. */
enum faulty_answer { FAULTY_GO_ON, FAULTY_IO_ERROR, FAULTY_FULL, FAULTY_HALF_THEN_IO_ERROR, FAULTY_HALF_THEN_KILL };

typedef int (*faulty_hook)(int step, const char *path);

/* Installs a layer over SQLite's default file system as the new default. The layer calls the hook before each
   operation, and fails as the hook's result says. Returns an SQLite result code. */
int faulty_vfs_install(faulty_hook hook);

/* Replaces the hook. With NULL, all operations succeed. */
void faulty_vfs_set(faulty_hook hook);

#endif
