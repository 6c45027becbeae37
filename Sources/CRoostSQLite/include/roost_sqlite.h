#ifndef ROOST_SQLITE_H
#define ROOST_SQLITE_H

#include <sqlite3.h>
#include <stdint.h>

/* Registers the SQL function roost_crc(...) on a connection. It returns the CRC-32C over its arguments, each with its
   type and length, so that different lists of values never have the same bytes. Deterministic. Returns an SQLite
   result code. */
int roost_register_checksum(sqlite3 *database);

/* Registers two deterministic SQL functions on a connection. Returns an SQLite result code.

   roost_compare(a, b) returns a value less than, equal to or greater than 0 if a is less than, equal to or greater
   than b: compared as numbers if both are JSON numbers, byte by byte if neither is. It returns NULL if only one is a
   number.

   roost_is_number_in(a, list) returns 1 if a is a JSON number that equals one of the numbers in the list, as
   roost_compare defines it, and 0 otherwise. The list consists of JSON numbers separated by commas. If it is the same
   for all rows, it is parsed once, and each row takes O(log(length of the list)). */
int roost_register_compare(sqlite3 *database);

/* Sets whether the write-ahead log stays unchanged when the last connection closes. By default SQLite makes a
   checkpoint then, without Roost's lock. Returns an SQLite result code. */
int roost_keep_log_on_close(sqlite3 *database, int keeps);

/* Turns off SQLite's count of the memory that it uses in this process, whose lock all threads share. Call it before
   the first use of SQLite. Returns an SQLite result code. */
int roost_disable_memory_statistics(void);

/* Page checksums
   --------------
   A checksummed database reserves the last ROOST_PAGE_RESERVE bytes of each page: 4 bytes with the CRC-32C over the
   rest of the page and the page number, then the page number (both little-endian). An SQLite VFS, called the layer
   below, writes these bytes with each page of the database file, and verifies them whenever a page is read. It
   applies only to databases with ROOST_APPLICATION_ID in their header and that many reserved bytes; it passes files
   of other programs through unchanged. The write-ahead log has separate checksums, which SQLite verifies when it
   recovers the log. */

#define ROOST_PAGE_RESERVE 8
/* The application id of checksummed databases: "RstC". */
#define ROOST_APPLICATION_ID 0x52737443

/* The effect of a page whose checksum does not match. */
enum roost_verification {
    /* The read fails with SQLITE_IOERR_DATA. */
    ROOST_VERIFY_FAIL = 0,
    /* The page is returned and counted, for an inspection. */
    ROOST_VERIFY_COUNT = 1,
    /* The page is returned, for a recovery of rows that have their own checksums. */
    ROOST_VERIFY_OFF = 2,
};

enum { ROOST_REPORTED_PAGES = 20 };

/* The pages whose checksum did not match, as counted with ROOST_VERIFY_COUNT. */
struct roost_page_report {
    /* Whether the database has page checksums. */
    int is_checksummed;
    /* The number of different pages, at most ROOST_REPORTED_PAGES. */
    int count;
    uint32_t pages[ROOST_REPORTED_PAGES];
};

/* Makes the layer the default VFS of this process. Must be called before the first database is opened; later calls do
   nothing. Thread-safe. Returns an SQLite result code. */
int roost_register_page_checksums(void);

/* Turns an empty or missing file into an empty checksummed database. Returns an SQLite result code. */
int roost_create_checksummed(const char *path);

/* Sets the effect of a page whose checksum does not match, for one connection. Returns an SQLite result code. */
int roost_set_verification(sqlite3 *database, enum roost_verification verification);

/* Returns the state of a connection's page checksums. */
int roost_get_page_report(sqlite3 *database, struct roost_page_report *report);

/* A prefix of the path with which one connection opens a database file as immutable: SQLite then takes no locks,
   ignores the write-ahead log, and creates no files. Other connections to the file are not affected. Only connections
   that read can use it. */
#define ROOST_IMMUTABLE_PREFIX "roost-immutable:"

#endif
