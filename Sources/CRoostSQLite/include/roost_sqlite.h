#ifndef ROOST_SQLITE_H
#define ROOST_SQLITE_H

#include <sqlite3.h>

/* Gives a connection the SQL function roost_crc(...): CRC-32C over its arguments, each with its type and
   length, so that no two lists of values have the same bytes. Deterministic. Returns an SQLite result code. */
int roost_register_checksum(sqlite3 *database);

/* Gives a connection the SQL function roost_compare(a, b): less than, equal to or greater than 0 as a stands to
   b; as numbers where both are written as JSON writes numbers, byte by byte where neither is, and NULL for a
   number and another text. Deterministic. Returns an SQLite result code. */
int roost_register_compare(sqlite3 *database);

/* Whether the log stays as it is when the last connection closes: SQLite would otherwise move it into the
   database then, without anybody's lock. Returns an SQLite result code. */
int roost_keep_log_on_close(sqlite3 *database, int keeps);

#endif
