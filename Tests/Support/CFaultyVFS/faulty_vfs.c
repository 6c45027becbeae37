#include "faulty_vfs.h"

#include <signal.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static _Atomic(faulty_hook) current;
static sqlite3_vfs *base;
static sqlite3_vfs layer;

typedef struct {
    sqlite3_file file;
    const char *path; /* SQLite keeps this string alive while the file is open. */
    sqlite3_file *real;
} faulty_file;

static int ask(int step, const char *path) {
    const faulty_hook hook = atomic_load(&current);
    return hook ? hook(step, path ? path : "") : FAULTY_GO_ON;
}

static int refusal(int answer) {
    return answer == FAULTY_FULL ? SQLITE_FULL : SQLITE_IOERR;
}

#define REAL(f) (((faulty_file *)(f))->real)
#define CALL(f, method, ...) (REAL(f)->pMethods->method(REAL(f), ##__VA_ARGS__))

static int f_close(sqlite3_file *f) { return CALL(f, xClose); }
static int f_read(sqlite3_file *f, void *p, int n, sqlite3_int64 at) { return CALL(f, xRead, p, n, at); }
static int f_write(sqlite3_file *f, const void *p, int n, sqlite3_int64 at) {
    const int answer = ask(FAULTY_WRITE, ((faulty_file *)f)->path);
    switch (answer) {
    case FAULTY_GO_ON: return CALL(f, xWrite, p, n, at);
    case FAULTY_HALF_THEN_IO_ERROR: CALL(f, xWrite, p, n / 2, at); return SQLITE_IOERR_WRITE;
    case FAULTY_HALF_THEN_KILL:
        CALL(f, xWrite, p, n / 2, at);
        kill(getpid(), SIGKILL);
        return SQLITE_IOERR;
    default: return refusal(answer);
    }
}
static int f_truncate(sqlite3_file *f, sqlite3_int64 n) {
    const int answer = ask(FAULTY_TRUNCATE, ((faulty_file *)f)->path);
    return answer ? SQLITE_IOERR_TRUNCATE : CALL(f, xTruncate, n);
}
static int f_sync(sqlite3_file *f, int flags) {
    const int answer = ask(FAULTY_SYNC, ((faulty_file *)f)->path);
    return answer ? SQLITE_IOERR_FSYNC : CALL(f, xSync, flags);
}
static int f_size(sqlite3_file *f, sqlite3_int64 *n) { return CALL(f, xFileSize, n); }
static int f_lock(sqlite3_file *f, int kind) { return CALL(f, xLock, kind); }
static int f_unlock(sqlite3_file *f, int kind) { return CALL(f, xUnlock, kind); }
static int f_check(sqlite3_file *f, int *found) { return CALL(f, xCheckReservedLock, found); }
static int f_control(sqlite3_file *f, int op, void *p) { return CALL(f, xFileControl, op, p); }
static int f_sector(sqlite3_file *f) { return CALL(f, xSectorSize); }
static int f_device(sqlite3_file *f) { return CALL(f, xDeviceCharacteristics); }
static int f_shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **p) {
    return CALL(f, xShmMap, page, size, extend, p);
}
static int f_shm_lock(sqlite3_file *f, int offset, int n, int flags) { return CALL(f, xShmLock, offset, n, flags); }
static void f_shm_barrier(sqlite3_file *f) { CALL(f, xShmBarrier); }
static int f_shm_unmap(sqlite3_file *f, int delete) { return CALL(f, xShmUnmap, delete); }

static const sqlite3_io_methods methods = {
    2,        f_close,   f_read,   f_write,   f_truncate, f_sync,    f_size,     f_lock,        f_unlock,
    f_check,  f_control, f_sector, f_device,  f_shm_map,  f_shm_lock, f_shm_barrier, f_shm_unmap,
};

static int v_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *f, int flags, int *out) {
    (void)vfs;
    faulty_file *file = (faulty_file *)f;
    memset(file, 0, sizeof *file);
    const int creates = (flags & SQLITE_OPEN_CREATE) && (!path || access(path, F_OK) != 0);
    if (creates && ask(FAULTY_OPEN, path)) return SQLITE_CANTOPEN;
    file->path = path;
    file->real = (sqlite3_file *)(file + 1);
    const int code = base->xOpen(base, path, file->real, flags, out);
    if (file->real->pMethods) file->file.pMethods = &methods;
    return code;
}

static int v_delete(sqlite3_vfs *vfs, const char *path, int sync) {
    (void)vfs;
    return ask(FAULTY_DELETE, path) ? SQLITE_IOERR_DELETE : base->xDelete(base, path, sync);
}

int faulty_vfs_install(faulty_hook hook) {
    base = sqlite3_vfs_find(NULL);
    if (!base) return SQLITE_ERROR;
    layer = *base;
    layer.zName = "faulty";
    layer.szOsFile = (int)sizeof(faulty_file) + base->szOsFile;
    layer.xOpen = v_open;
    layer.xDelete = v_delete;
    atomic_store(&current, hook);
    return sqlite3_vfs_register(&layer, 1);
}

void faulty_vfs_set(faulty_hook hook) { atomic_store(&current, hook); }
