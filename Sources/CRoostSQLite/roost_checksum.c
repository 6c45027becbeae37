#include "roost_sqlite.h"

#include <stdint.h>
#include <string.h>

#include "roost_crc32c.h"

static void checksum(sqlite3_context *context, int count, sqlite3_value **values) {
    uint32_t crc = 0;
    for (int i = 0; i < count; i++) {
        sqlite3_value *value = values[i];
        const unsigned char type = (unsigned char)sqlite3_value_type(value);
        crc = roost_crc32c(crc, &type, 1);
        const void *bytes = NULL;
        int64_t number = 0;
        size_t length = sizeof number;
        switch (type) {
        case SQLITE_NULL: continue;
        case SQLITE_INTEGER:
            number = sqlite3_value_int64(value);
            bytes = &number;
            break;
        case SQLITE_FLOAT: {
            const double real = sqlite3_value_double(value);
            memcpy(&number, &real, sizeof number);
            bytes = &number;
            break;
        }
        default:
            /* Also for text: sqlite3_value_blob returns its bytes without converting them. */
            bytes = sqlite3_value_blob(value);
            length = (size_t)sqlite3_value_bytes(value);
            const uint64_t size = length;
            crc = roost_crc32c(crc, &size, sizeof size);
        }
        if (length > 0) crc = roost_crc32c(crc, bytes, length);
    }
    sqlite3_result_int64(context, crc);
}

int roost_register_checksum(sqlite3 *database) {
    return sqlite3_create_function_v2(
        database, "roost_crc", -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, checksum, NULL, NULL, NULL);
}

int roost_disable_memory_statistics(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

int roost_keep_log_on_close(sqlite3 *database, int keeps) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keeps, NULL);
}
