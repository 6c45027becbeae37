/* The methods of a database file whose pages have checksums; see roost_sqlite.h for the format.

   SQLite calls the methods of a file only while it holds the mutex of the connection, so the state of a file needs
   no lock. Pages in the write-ahead log are not changed: SQLite computes the checksums of the log over the page as
   it has it in memory, so a different page in the log would make the log invalid. The checksum of a page is
   therefore written when a checkpoint moves the page into the database file. */
#include "roost_page_file.h"

#include <stdlib.h>
#include <string.h>

#include "roost_crc32c.h"

enum {
    MINIMUM_PAGE_SIZE = 512,
    MAXIMUM_PAGE_SIZE = 65536,
};

static void store_32(unsigned char *bytes, uint32_t value) {
    for (int i = 0; i < 4; i++) bytes[i] = (unsigned char)(value >> (8 * i));
}

static void seal(unsigned char *page, int size, uint32_t number) {
    store_32(page + size - 4, number);
    const uint32_t crc = roost_crc32c(0, page, (size_t)size - ROOST_PAGE_RESERVE);
    store_32(page + size - ROOST_PAGE_RESERVE, roost_crc32c(crc, page + size - 4, 4));
}

static int is_intact(const unsigned char *page, int size, uint32_t number) {
    unsigned char expected[ROOST_PAGE_RESERVE];
    store_32(expected + 4, number);
    const uint32_t crc = roost_crc32c(0, page, (size_t)size - ROOST_PAGE_RESERVE);
    store_32(expected, roost_crc32c(crc, expected + 4, 4));
    return memcmp(expected, page + size - ROOST_PAGE_RESERVE, sizeof expected) == 0;
}

int roost_adopt_header(roost_page_file *file, const unsigned char *header) {
    if (memcmp(header, "SQLite format 3", 16) != 0 || header[20] != ROOST_PAGE_RESERVE) return 0;
    const uint32_t application = (uint32_t)header[68] << 24 | (uint32_t)header[69] << 16
        | (uint32_t)header[70] << 8 | header[71];
    if (application != ROOST_APPLICATION_ID) return 0;
    /* 65,536 does not fit in the two bytes and is stored as 1 (https://sqlite.org/fileformat2.html). */
    int size = header[16] << 8 | header[17];
    if (size == 1) size = MAXIMUM_PAGE_SIZE;
    const int is_valid = size >= MINIMUM_PAGE_SIZE && (size & (size - 1)) == 0;
    file->is_checksummed = 1;
    file->page_size = is_valid ? size : 0;
    return 1;
}

static unsigned char *page_buffer(roost_page_file *file) {
    if (!file->page) file->page = malloc(MAXIMUM_PAGE_SIZE);
    return file->page;
}

/* Handles a page whose checksum does not match. */
static int handle_mismatch(roost_page_file *file, uint32_t number) {
    if (file->verification == ROOST_VERIFY_FAIL) {
        sqlite3_log(SQLITE_IOERR_DATA, "the checksum of page %u does not match", number);
        return SQLITE_IOERR_DATA;
    }
    struct roost_page_report *report = &file->report;
    for (int i = 0; i < report->count; i++) {
        if (report->pages[i] == number) return SQLITE_OK;
    }
    if (report->count < ROOST_REPORTED_PAGES) report->pages[report->count++] = number;
    return SQLITE_OK;
}

/* MARK: Methods of a file */

static int close_file(sqlite3_file *handle) {
    roost_page_file *file = (roost_page_file *)handle;
    free(file->page);
    file->page = NULL;
    return file->real->pMethods->xClose(file->real);
}

/* Reads one page into `bytes` and verifies it. */
static int read_page(roost_page_file *file, unsigned char *bytes, uint32_t number) {
    const sqlite3_int64 offset = (sqlite3_int64)(number - 1) * file->page_size;
    const int result = file->real->pMethods->xRead(file->real, bytes, file->page_size, offset);
    /* SQLite reads only pages that belong to the database, so a page after the end of the file is missing. */
    if (result == SQLITE_IOERR_SHORT_READ) {
        const int handled = handle_mismatch(file, number);
        return handled == SQLITE_OK ? result : handled;
    }
    if (result != SQLITE_OK) return result;
    return is_intact(bytes, file->page_size, number) ? SQLITE_OK : handle_mismatch(file, number);
}

/* Reads a part of one or more pages, which SQLite does for large values, and verifies these pages. */
static int read_parts(roost_page_file *file, unsigned char *bytes, int count, sqlite3_int64 offset) {
    unsigned char *page = page_buffer(file);
    if (!page) return SQLITE_IOERR_NOMEM;
    while (count > 0) {
        const int start = (int)(offset % file->page_size);
        const int length = count < file->page_size - start ? count : file->page_size - start;
        const int result = read_page(file, page, (uint32_t)(offset / file->page_size) + 1);
        if (result != SQLITE_OK) return result;
        memcpy(bytes, page + start, (size_t)length);
        bytes += length;
        offset += length;
        count -= length;
    }
    return SQLITE_OK;
}

static int read_file(sqlite3_file *handle, void *bytes, int count, sqlite3_int64 offset) {
    roost_page_file *file = (roost_page_file *)handle;
    /* Another process may have created the database after this file was opened. */
    const int may_be_new = !file->is_checksummed && offset == 0 && count >= MINIMUM_PAGE_SIZE;
    /* SQLite reads the header without a lock, so a checkpoint may be writing page 1 at the same time. It reads the
       complete page before it uses anything but the page size. */
    const int is_header = offset + count <= ROOST_HEADER_SIZE;
    if (may_be_new || is_header || !file->is_checksummed || file->verification == ROOST_VERIFY_OFF) {
        const int result = file->real->pMethods->xRead(file->real, bytes, count, offset);
        if (!may_be_new || result != SQLITE_OK || !roost_adopt_header(file, bytes)) return result;
        if (file->verification == ROOST_VERIFY_OFF) return result;
    }
    if (file->page_size == 0) {
        const int handled = handle_mismatch(file, 1);
        /* SQLite requires that the rest of a short read is filled with zeros. */
        memset(bytes, 0, (size_t)count);
        return handled == SQLITE_OK ? SQLITE_IOERR_SHORT_READ : handled;
    }
    if (count == file->page_size && offset % count == 0)
        return read_page(file, bytes, (uint32_t)(offset / count) + 1);
    return read_parts(file, bytes, count, offset);
}

static int write_file(sqlite3_file *handle, const void *bytes, int count, sqlite3_int64 offset) {
    roost_page_file *file = (roost_page_file *)handle;
    if (offset == 0 && count >= MINIMUM_PAGE_SIZE) {
        const int was_checksummed = file->is_checksummed;
        /* A header without the mark would make other connections read the pages without verification. */
        if (!roost_adopt_header(file, bytes) && was_checksummed) return SQLITE_IOERR_WRITE;
    }
    if (!file->is_checksummed) return file->real->pMethods->xWrite(file->real, bytes, count, offset);
    /* In a new database, other pages can be written before the first. */
    if (file->page_size == 0 && count >= MINIMUM_PAGE_SIZE && count <= MAXIMUM_PAGE_SIZE) file->page_size = count;
    const int size = file->page_size;
    if (size == 0 || count != size || offset % size != 0) return SQLITE_IOERR_WRITE;
    unsigned char *page = page_buffer(file);
    if (!page) return SQLITE_IOERR_NOMEM;
    memcpy(page, bytes, (size_t)size);
    seal(page, size, (uint32_t)(offset / size) + 1);
    return file->real->pMethods->xWrite(file->real, page, count, offset);
}

static int truncate_file(sqlite3_file *handle, sqlite3_int64 size) {
    sqlite3_file *real = ((roost_page_file *)handle)->real;
    return real->pMethods->xTruncate(real, size);
}

static int synchronize_file(sqlite3_file *handle, int flags) {
    sqlite3_file *real = ((roost_page_file *)handle)->real;
    return real->pMethods->xSync(real, flags);
}

static int file_size(sqlite3_file *handle, sqlite3_int64 *size) {
    sqlite3_file *real = ((roost_page_file *)handle)->real;
    return real->pMethods->xFileSize(real, size);
}

static int lock_file(sqlite3_file *handle, int level) {
    sqlite3_file *real = ((roost_page_file *)handle)->real;
    return real->pMethods->xLock(real, level);
}

static int unlock_file(sqlite3_file *handle, int level) {
    sqlite3_file *real = ((roost_page_file *)handle)->real;
    return real->pMethods->xUnlock(real, level);
}

static int check_reserved_lock(sqlite3_file *handle, int *is_locked) {
    sqlite3_file *real = ((roost_page_file *)handle)->real;
    return real->pMethods->xCheckReservedLock(real, is_locked);
}

static int control_file(sqlite3_file *handle, int operation, void *argument) {
    roost_page_file *file = (roost_page_file *)handle;
    switch (operation) {
    case ROOST_CONTROL_VERIFICATION:
        file->verification = *(enum roost_verification *)argument;
        return SQLITE_OK;
    case ROOST_CONTROL_REPORT:
        file->report.is_checksummed = file->is_checksummed;
        *(struct roost_page_report *)argument = file->report;
        return SQLITE_OK;
    default: return file->real->pMethods->xFileControl(file->real, operation, argument);
    }
}

static int sector_size(sqlite3_file *handle) {
    sqlite3_file *real = ((roost_page_file *)handle)->real;
    return real->pMethods->xSectorSize(real);
}

static int device_characteristics(sqlite3_file *handle) {
    roost_page_file *file = (roost_page_file *)handle;
    const int flags = file->real->pMethods->xDeviceCharacteristics(file->real);
    return file->is_immutable ? flags | SQLITE_IOCAP_IMMUTABLE : flags;
}

static int map_shared_memory(sqlite3_file *handle, int region, int size, int extends, void volatile **memory) {
    sqlite3_file *real = ((roost_page_file *)handle)->real;
    return real->pMethods->xShmMap(real, region, size, extends, memory);
}

static int lock_shared_memory(sqlite3_file *handle, int offset, int count, int flags) {
    sqlite3_file *real = ((roost_page_file *)handle)->real;
    return real->pMethods->xShmLock(real, offset, count, flags);
}

static void order_shared_memory(sqlite3_file *handle) {
    sqlite3_file *real = ((roost_page_file *)handle)->real;
    real->pMethods->xShmBarrier(real);
}

static int unmap_shared_memory(sqlite3_file *handle, int deletes) {
    sqlite3_file *real = ((roost_page_file *)handle)->real;
    return real->pMethods->xShmUnmap(real, deletes);
}

static int fetch_page(sqlite3_file *handle, sqlite3_int64 offset, int count, void **bytes) {
    roost_page_file *file = (roost_page_file *)handle;
    /* A mapped page would be used without verification. */
    *bytes = NULL;
    if (file->is_checksummed || file->real->pMethods->iVersion < 3) return SQLITE_OK;
    return file->real->pMethods->xFetch(file->real, offset, count, bytes);
}

static int release_page(sqlite3_file *handle, sqlite3_int64 offset, void *bytes) {
    sqlite3_file *real = ((roost_page_file *)handle)->real;
    return real->pMethods->iVersion < 3 ? SQLITE_OK : real->pMethods->xUnfetch(real, offset, bytes);
}

const sqlite3_io_methods roost_page_file_methods = {
    .iVersion = 3,
    .xClose = close_file,
    .xRead = read_file,
    .xWrite = write_file,
    .xTruncate = truncate_file,
    .xSync = synchronize_file,
    .xFileSize = file_size,
    .xLock = lock_file,
    .xUnlock = unlock_file,
    .xCheckReservedLock = check_reserved_lock,
    .xFileControl = control_file,
    .xSectorSize = sector_size,
    .xDeviceCharacteristics = device_characteristics,
    .xShmMap = map_shared_memory,
    .xShmLock = lock_shared_memory,
    .xShmBarrier = order_shared_memory,
    .xShmUnmap = unmap_shared_memory,
    .xFetch = fetch_page,
    .xUnfetch = release_page,
};
