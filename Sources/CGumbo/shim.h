#include <gumbo.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/// A parse with bounds on its memory and its time.
///
/// The library neither checks for failed allocations nor limits the depth of the tree, and frees trees
/// recursively. Therefore all its memory is allocated here, in a list that is freed without recursion, and the
/// allocator leaves the parser with `longjmp` when a limit is exceeded.
typedef struct RoostGumboMemory {
    struct RoostGumboMemory *previous, *next;
    size_t size, padding;
} RoostGumboMemory;

typedef struct {
    RoostGumboMemory blocks;
    size_t used, maximum;
    unsigned calls;
    struct timespec deadline;
    jmp_buf exit;
    GumboOutput *output;
} RoostGumboParse;

static inline void *roost_gumbo_allocate(void *context, size_t size) {
    RoostGumboParse *parse = (RoostGumboParse *)context;
    if ((++parse->calls & 255) == 0) {
        struct timespec now;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        if (now.tv_sec > parse->deadline.tv_sec
            || (now.tv_sec == parse->deadline.tv_sec && now.tv_nsec > parse->deadline.tv_nsec))
            longjmp(parse->exit, 1);
    }
    size_t total = size + sizeof(RoostGumboMemory);
    if (total < size || total > parse->maximum - parse->used) longjmp(parse->exit, 1);
    RoostGumboMemory *block = (RoostGumboMemory *)malloc(total);
    if (!block) longjmp(parse->exit, 1);
    parse->used += total;
    block->size = total;
    block->previous = &parse->blocks;
    block->next = parse->blocks.next;
    if (block->next) block->next->previous = block;
    parse->blocks.next = block;
    return block + 1;
}

static inline void roost_gumbo_deallocate(void *context, void *pointer) {
    if (!pointer) return;
    RoostGumboParse *parse = (RoostGumboParse *)context;
    RoostGumboMemory *block = (RoostGumboMemory *)pointer - 1;
    block->previous->next = block->next;
    if (block->next) block->next->previous = block->previous;
    parse->used -= block->size;
    free(block);
}

/// Frees the tree and everything else that a parse allocated.
static inline void roost_gumbo_free(RoostGumboParse *parse) {
    if (!parse) return;
    RoostGumboMemory *block = parse->blocks.next;
    while (block) {
        RoostGumboMemory *next = block->next;
        free(block);
        block = next;
    }
    free(parse);
}

/// Parses a page as UTF-8. Returns `NULL` if it needs more than `maximumMemory` bytes or `milliseconds`.
/// Call `roost_gumbo_free` with the result; the page must remain valid until then.
static __attribute__((noinline)) inline RoostGumboParse *roost_gumbo_parse(
    const char *page, size_t length, size_t maximumMemory, long milliseconds) {
    RoostGumboParse *parse = (RoostGumboParse *)calloc(1, sizeof(RoostGumboParse));
    if (!parse) return NULL;
    parse->maximum = maximumMemory;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &parse->deadline);
    parse->deadline.tv_sec += milliseconds / 1000;
    parse->deadline.tv_nsec += (milliseconds % 1000) * 1000000;
    if (parse->deadline.tv_nsec >= 1000000000) {
        parse->deadline.tv_nsec -= 1000000000;
        parse->deadline.tv_sec += 1;
    }
    GumboOptions options = kGumboDefaultOptions;
    options.allocator = roost_gumbo_allocate;
    options.deallocator = roost_gumbo_deallocate;
    options.userdata = parse;
    options.max_errors = 0;
    if (setjmp(parse->exit)) {
        roost_gumbo_free(parse);
        return NULL;
    }
    parse->output = gumbo_parse_with_options(&options, page, length);
    return parse;
}
