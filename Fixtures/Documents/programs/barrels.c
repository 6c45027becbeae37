#include <stdio.h>
#include <stdlib.h>

#define MAXIMUM 1000
#define SQUARE(value)      \
    do {                   \
        use(value);        \
    } while (0)

/* A brace in a comment: { */
struct barrel {
    double capacity;
    double content;
    struct {
        int hours;
    } rain;
};

typedef enum {
    OAK,
    STEEL
} material;

typedef struct gauge gauge;

typedef int (*handler)(struct barrel *, const char *);

static const char *names[] = {
    "oak",
    "steel {",
};

static int
compare(const void *left, const void *right)
{
    return *(const int *)left - *(const int *)right;
}

struct barrel *
barrel_new(double capacity)
{
    struct barrel *barrel = malloc(sizeof *barrel);
    barrel->capacity = capacity;
    return barrel;
}

#ifdef DEBUG
static void log_event(const char *text, ...) __attribute__((format(printf, 1, 2)));

static void log_event(const char *text, ...) {
    puts(text);
    putchar('{');
}
#else
static inline void log_event(const char *text, ...) { (void)text; }
#endif

__attribute__((noreturn)) void fail(
    const char *message,
    int status)
{
    fputs(message, stderr);
    exit(status);
}

int sum(count, values)
    int count;
    int *values;
{
    int total = 0;
    while (count--) total += *values++;
    return total;
}

static handler find(const char *name)
{
    (void)name;
    return NULL;
}

int (*select_handler(int kind))(struct barrel *, const char *)
{
    if (kind) return find("a");
    return NULL;
}

int main(int argc, char *argv[])
{
    for (int index = 0; index < argc; index++) {
        puts(argv[index]);
    }
    return 0;
}
