/* An SQLite VFS that opens database files with page checksums; see roost_sqlite.h. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "roost_page_file.h"

/* The URI parameter with which an empty file becomes a checksummed database. */
static const char new_parameter[] = "roost_checksums";

static sqlite3_vfs *below(sqlite3_vfs *vfs) { return vfs->pAppData; }

/* MARK: Immutable files */

static const char immutable_prefix[] = ROOST_IMMUTABLE_PREFIX;
enum { PREFIX_LENGTH = sizeof immutable_prefix - 1 };

/* Whether a name has the prefix that makes a connection treat the file as immutable. */
static int is_immutable_name(const char *name) {
    return name && strncmp(name, immutable_prefix, PREFIX_LENGTH) == 0;
}

/* Returns the name of the file itself. The result is a suffix of the name, so the parameters of a URI that SQLite
   stores after the name stay reachable. */
static const char *file_name(const char *name) { return is_immutable_name(name) ? name + PREFIX_LENGTH : name; }

/* MARK: Methods of the VFS */

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *handle, int flags, int *result_flags) {
    sqlite3_vfs *base = below(vfs);
    if (!(flags & SQLITE_OPEN_MAIN_DB)) return base->xOpen(base, file_name(name), handle, flags, result_flags);
    roost_page_file *file = (roost_page_file *)handle;
    memset(file, 0, sizeof *file);
    /* A connection that ignores the locks and the log must not write. */
    if (is_immutable_name(name) && !(flags & SQLITE_OPEN_READONLY)) return SQLITE_READONLY;
    file->real = (sqlite3_file *)(file + 1);
    const int result = base->xOpen(base, file_name(name), file->real, flags, result_flags);
    if (result != SQLITE_OK) return result;
    /* The methods of version 2 are required for the write-ahead log; every VFS of SQLite has them. */
    if (file->real->pMethods->iVersion < 2) {
        file->real->pMethods->xClose(file->real);
        return SQLITE_CANTOPEN;
    }
    file->base.pMethods = &roost_page_file_methods;
    file->is_immutable = is_immutable_name(name);
    unsigned char header[ROOST_HEADER_SIZE];
    sqlite3_int64 size = 0;
    if (file->real->pMethods->xFileSize(file->real, &size) != SQLITE_OK) return SQLITE_OK;
    if (size == 0) {
        file->is_checksummed = name && sqlite3_uri_boolean(name, new_parameter, 0);
    } else if (file->real->pMethods->xRead(file->real, header, ROOST_HEADER_SIZE, 0) == SQLITE_OK) {
        roost_adopt_header(file, header);
    }
    return SQLITE_OK;
}

static int delete_file(sqlite3_vfs *vfs, const char *name, int synchronizes) {
    return below(vfs)->xDelete(below(vfs), file_name(name), synchronizes);
}

static int access_file(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
    return below(vfs)->xAccess(below(vfs), file_name(name), flags, result);
}

static int full_path(sqlite3_vfs *vfs, const char *name, int count, char *path) {
    if (!is_immutable_name(name)) return below(vfs)->xFullPathname(below(vfs), name, count, path);
    if (count <= PREFIX_LENGTH) return SQLITE_CANTOPEN;
    memcpy(path, immutable_prefix, PREFIX_LENGTH);
    return below(vfs)->xFullPathname(
        below(vfs), name + PREFIX_LENGTH, count - PREFIX_LENGTH, path + PREFIX_LENGTH);
}

static void *open_library(sqlite3_vfs *vfs, const char *name) { return below(vfs)->xDlOpen(below(vfs), name); }

static void library_error(sqlite3_vfs *vfs, int count, char *message) {
    below(vfs)->xDlError(below(vfs), count, message);
}

static void (*library_symbol(sqlite3_vfs *vfs, void *library, const char *name))(void) {
    return below(vfs)->xDlSym(below(vfs), library, name);
}

static void close_library(sqlite3_vfs *vfs, void *library) { below(vfs)->xDlClose(below(vfs), library); }

static int randomness(sqlite3_vfs *vfs, int count, char *bytes) {
    return below(vfs)->xRandomness(below(vfs), count, bytes);
}

static int pause_thread(sqlite3_vfs *vfs, int microseconds) {
    return below(vfs)->xSleep(below(vfs), microseconds);
}

static int last_error(sqlite3_vfs *vfs, int count, char *message) {
    return below(vfs)->xGetLastError ? below(vfs)->xGetLastError(below(vfs), count, message) : 0;
}

static int current_time(sqlite3_vfs *vfs, double *time) { return below(vfs)->xCurrentTime(below(vfs), time); }

static int current_time_64(sqlite3_vfs *vfs, sqlite3_int64 *time) {
    return below(vfs)->xCurrentTimeInt64(below(vfs), time);
}

static sqlite3_vfs layer = {
    .zName = "roost",
    .xOpen = open_file,
    .xDelete = delete_file,
    .xAccess = access_file,
    .xFullPathname = full_path,
    .xDlOpen = open_library,
    .xDlError = library_error,
    .xDlSym = library_symbol,
    .xDlClose = close_library,
    .xRandomness = randomness,
    .xSleep = pause_thread,
    .xGetLastError = last_error,
    .xCurrentTime = current_time,
    .xCurrentTimeInt64 = current_time_64,
};

static pthread_once_t registration = PTHREAD_ONCE_INIT;
static int registration_result = SQLITE_ERROR;

static void register_layer(void) {
    sqlite3_vfs *base = sqlite3_vfs_find(NULL);
    if (!base) return;
    layer.iVersion = base->iVersion < 2 ? 1 : 2;
    layer.szOsFile = (int)sizeof(roost_page_file) + base->szOsFile;
    layer.mxPathname = base->mxPathname + PREFIX_LENGTH;
    layer.pAppData = base;
    registration_result = sqlite3_vfs_register(&layer, 1);
}

int roost_register_page_checksums(void) {
    pthread_once(&registration, register_layer);
    return registration_result;
}

/* MARK: Databases */

/* Returns the URI of a file, with the parameter for a new checksummed database. The caller frees it. */
static char *new_database_uri(const char *path) {
    static const char digits[] = "0123456789ABCDEF";
    const size_t length = strlen(path);
    char *uri = malloc(3 * length + sizeof "file:?=1" + sizeof new_parameter);
    if (!uri) return NULL;
    char *end = stpcpy(uri, "file:");
    for (size_t i = 0; i < length; i++) {
        const unsigned char byte = (unsigned char)path[i];
        if (byte == '/' || byte == '.' || byte == '-' || byte == '_' || (byte >= '0' && byte <= '9')
            || (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z')) {
            *end++ = (char)byte;
        } else {
            *end++ = '%';
            *end++ = digits[byte >> 4];
            *end++ = digits[byte & 15];
        }
    }
    *end++ = '?';
    end = stpcpy(end, new_parameter);
    strcpy(end, "=1");
    return uri;
}

static int reserve_bytes(sqlite3 *database) {
    int count = ROOST_PAGE_RESERVE;
    return sqlite3_file_control(database, "main", SQLITE_FCNTL_RESERVE_BYTES, &count);
}

int roost_create_checksummed(const char *path) {
    char *uri = new_database_uri(path);
    if (!uri) return SQLITE_NOMEM;
    sqlite3 *database = NULL;
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI;
    int result = sqlite3_open_v2(uri, &database, flags, layer.zName);
    free(uri);
    if (result == SQLITE_OK) result = reserve_bytes(database);
    if (result == SQLITE_OK) {
        char *sql = sqlite3_mprintf("PRAGMA application_id = %d", ROOST_APPLICATION_ID);
        result = sql ? sqlite3_exec(database, sql, NULL, NULL, NULL) : SQLITE_NOMEM;
        sqlite3_free(sql);
    }
    const int closed = sqlite3_close(database);
    return result == SQLITE_OK ? closed : result;
}

int roost_set_verification(sqlite3 *database, enum roost_verification verification) {
    const int result = sqlite3_file_control(database, "main", ROOST_CONTROL_VERIFICATION, &verification);
    /* A database in memory has no file. */
    return result == SQLITE_NOTFOUND ? SQLITE_OK : result;
}

int roost_get_page_report(sqlite3 *database, struct roost_page_report *report) {
    memset(report, 0, sizeof *report);
    const int result = sqlite3_file_control(database, "main", ROOST_CONTROL_REPORT, report);
    return result == SQLITE_NOTFOUND ? SQLITE_OK : result;
}
