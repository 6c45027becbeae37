#ifndef ROOST_SQLITE_H
#define ROOST_SQLITE_H

#include <sqlite3.h>

/* Registers the SQL function roost_crc(...) on a connection. It returns the CRC-32C over its arguments, each with its
   type and length, so that different lists of values never have the same bytes. Deterministic. Returns an SQLite
   result code. */
int roost_register_checksum(sqlite3 *database);

/* Registers the SQL function roost_compare(a, b) on a connection. It returns a value less than, equal to or greater
   than 0 if a is less than, equal to or greater than b: compared as numbers if both are JSON numbers, byte by byte if
   neither is. It returns NULL if only one is a number. Deterministic. Returns an SQLite result code. */
int roost_register_compare(sqlite3 *database);

/* Sets whether the write-ahead log stays unchanged when the last connection closes. By default SQLite makes a
   checkpoint then, without Roost's lock. Returns an SQLite result code. */
int roost_keep_log_on_close(sqlite3 *database, int keeps);

#endif
