/* The file of a database with page checksums; private to this module. See roost_sqlite.h for the format. */
#ifndef ROOST_PAGE_FILE_H
#define ROOST_PAGE_FILE_H

#include "roost_sqlite.h"

enum {
    ROOST_HEADER_SIZE = 100,
    /* Codes for sqlite3_file_control; SQLite reserves those below 100. */
    ROOST_CONTROL_VERIFICATION = 0x526F01,
    ROOST_CONTROL_REPORT = 0x526F02,
};

typedef struct {
    sqlite3_file base;
    /* The file of the VFS below, which follows this structure in memory. */
    sqlite3_file *real;
    int is_checksummed;
    int is_immutable;
    /* The page size in bytes; 0 if it is not known yet or if the header contains an invalid one. */
    int page_size;
    enum roost_verification verification;
    struct roost_page_report report;
    /* A buffer for one page, allocated when it is first needed. */
    unsigned char *page;
} roost_page_file;

/* The methods of such a file. */
extern const sqlite3_io_methods roost_page_file_methods;

/* Reads the page size and the application id from the first ROOST_HEADER_SIZE bytes of a database. Returns whether
   the database has page checksums; if so, marks the file as checksummed. */
int roost_adopt_header(roost_page_file *file, const unsigned char *header);

#endif
