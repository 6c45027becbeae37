#ifndef ROOST_PAGE_H
#define ROOST_PAGE_H

#include <stddef.h>

// A file of the page in the browser, which is a part of the program.
struct roost_page_file {
    const char *name;
    const char *type;
    const unsigned char *bytes;
    size_t length;
};

// Returns the file with an index, in the order in which modules need each other; NULL after the last one.
const struct roost_page_file *roost_page_file_at(size_t index);

#endif
