#define _GNU_SOURCE
#include "roost_sqlite.h"

#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif

/* Returns the number of digits at the beginning of a text. */
static size_t digits(const char *text, size_t length) {
    size_t count = 0;
    while (count < length && text[count] >= '0' && text[count] <= '9') count++;
    return count;
}

/* Returns whether a text is a JSON number (RFC 8259, section 6). */
static int is_number(const char *text, size_t length) {
    size_t at = length > 0 && text[0] == '-';
    const size_t whole_digits = digits(text + at, length - at);
    if (whole_digits == 0 || (whole_digits > 1 && text[at] == '0')) return 0;
    at += whole_digits;
    if (at < length && text[at] == '.') {
        const size_t fraction = digits(text + at + 1, length - at - 1);
        if (fraction == 0) return 0;
        at += 1 + fraction;
    }
    if (at < length && (text[at] == 'e' || text[at] == 'E')) {
        at++;
        if (at < length && (text[at] == '+' || text[at] == '-')) at++;
        const size_t exponent = digits(text + at, length - at);
        if (exponent == 0) return 0;
        at += exponent;
    }
    return at == length;
}

/* Returns the value of a JSON number. The locale is explicit because that of the process may use a decimal
   comma. */
static double number(const char *text, size_t length, locale_t locale) {
    char buffer[64];
    char *copy = length < sizeof buffer ? buffer : malloc(length + 1);
    if (!copy) return 0;
    memcpy(copy, text, length);
    copy[length] = 0;
    const double value = strtod_l(copy, NULL, locale);
    if (copy != buffer) free(copy);
    return value;
}

/* Stores the value of a JSON number in `value` if it is written as an integer and fits in 64 bits. Returns whether
   it does. Integers are compared exactly; a double would round those above 2^53. */
static int integer(const char *text, size_t length, int64_t *value) {
    size_t at = length > 0 && text[0] == '-';
    const int is_negative = at == 1;
    uint64_t magnitude = 0;
    for (; at < length; at++) {
        if (text[at] < '0' || text[at] > '9') return 0;
        const uint64_t digit = (uint64_t)(text[at] - '0');
        if (magnitude > (UINT64_MAX - digit) / 10) return 0;
        magnitude = magnitude * 10 + digit;
    }
    if (magnitude > (uint64_t)INT64_MAX + (is_negative ? 1 : 0)) return 0;
    *value = is_negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return 1;
}

static void compare(sqlite3_context *context, int count, sqlite3_value **values) {
    (void)count;
    if (sqlite3_value_type(values[0]) == SQLITE_NULL || sqlite3_value_type(values[1]) == SQLITE_NULL) return;
    const char *left = sqlite3_value_blob(values[0]), *right = sqlite3_value_blob(values[1]);
    const size_t left_length = (size_t)sqlite3_value_bytes(values[0]);
    const size_t right_length = (size_t)sqlite3_value_bytes(values[1]);
    const int is_left = left && is_number(left, left_length), is_right = right && is_number(right, right_length);
    if (is_left != is_right) return;
    int order;
    if (is_left) {
        int64_t one, other;
        if (integer(left, left_length, &one) && integer(right, right_length, &other)) {
            order = (one > other) - (one < other);
        } else {
            locale_t locale = (locale_t)sqlite3_user_data(context);
            const double a = number(left, left_length, locale), b = number(right, right_length, locale);
            order = (a > b) - (a < b);
        }
    } else {
        const size_t shorter = left_length < right_length ? left_length : right_length;
        order = shorter ? memcmp(left, right, shorter) : 0;
        if (order == 0) order = (left_length > right_length) - (left_length < right_length);
    }
    sqlite3_result_int(context, order);
}

/* A list of JSON numbers, parsed once for all rows of a statement. */
struct number_list {
    /* The numbers that are integers, ascending. */
    int64_t *integers;
    size_t integer_count;
    /* All numbers as doubles, ascending, and those that are not integers, ascending. */
    double *all, *fractions;
    size_t count, fraction_count;
};

static int order_integers(const void *left, const void *right) {
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static int order_doubles(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void free_numbers(void *pointer) {
    struct number_list *list = pointer;
    if (!list) return;
    free(list->integers);
    free(list->all);
    free(list->fractions);
    free(list);
}

/* Parses JSON numbers that are separated by commas. Returns NULL if there is no memory. */
static struct number_list *parse_numbers(const char *text, size_t length, locale_t locale) {
    struct number_list *list = calloc(1, sizeof *list);
    if (!list) return NULL;
    size_t maximum = 1;
    for (size_t at = 0; at < length; at++) maximum += text[at] == ',';
    list->integers = malloc(maximum * sizeof *list->integers);
    list->all = malloc(maximum * sizeof *list->all);
    list->fractions = malloc(maximum * sizeof *list->fractions);
    if (!list->integers || !list->all || !list->fractions) {
        free_numbers(list);
        return NULL;
    }
    for (size_t start = 0; start < length;) {
        const char *comma = memchr(text + start, ',', length - start);
        const size_t end = comma ? (size_t)(comma - text) : length;
        if (is_number(text + start, end - start)) {
            const double value = number(text + start, end - start, locale);
            int64_t whole;
            list->all[list->count++] = value;
            if (integer(text + start, end - start, &whole)) {
                list->integers[list->integer_count++] = whole;
            } else {
                list->fractions[list->fraction_count++] = value;
            }
        }
        start = end + 1;
    }
    qsort(list->integers, list->integer_count, sizeof *list->integers, order_integers);
    qsort(list->all, list->count, sizeof *list->all, order_doubles);
    qsort(list->fractions, list->fraction_count, sizeof *list->fractions, order_doubles);
    return list;
}

static void is_number_in(sqlite3_context *context, int count, sqlite3_value **values) {
    (void)count;
    locale_t locale = (locale_t)sqlite3_user_data(context);
    struct number_list *list = sqlite3_get_auxdata(context, 1), *parsed = NULL;
    if (!list) {
        const char *numbers = sqlite3_value_blob(values[1]);
        list = parsed = parse_numbers(numbers, numbers ? (size_t)sqlite3_value_bytes(values[1]) : 0, locale);
        if (!list) {
            sqlite3_result_error_nomem(context);
            return;
        }
    }
    int is_found = 0;
    const char *text = sqlite3_value_blob(values[0]);
    const size_t length = text ? (size_t)sqlite3_value_bytes(values[0]) : 0;
    if (text && is_number(text, length)) {
        const double value = number(text, length, locale);
        int64_t whole;
        if (integer(text, length, &whole)) {
            is_found = bsearch(&whole, list->integers, list->integer_count, sizeof whole, order_integers)
                || bsearch(&value, list->fractions, list->fraction_count, sizeof value, order_doubles);
        } else {
            is_found = bsearch(&value, list->all, list->count, sizeof value, order_doubles) != NULL;
        }
    }
    sqlite3_result_int(context, is_found);
    /* SQLite may free the list at once, so this is the last use. */
    if (parsed) sqlite3_set_auxdata(context, 1, parsed, free_numbers);
}

static void release(void *locale) { freelocale((locale_t)locale); }

/* Registers a deterministic function of two arguments, with a locale of its own. */
static int register_function(
    sqlite3 *database, const char *name, void (*function)(sqlite3_context *, int, sqlite3_value **)
) {
    locale_t locale = newlocale(LC_ALL_MASK, "C", NULL);
    if (!locale) return SQLITE_NOMEM;
    return sqlite3_create_function_v2(
        database, name, 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, locale, function, NULL, NULL, release);
}

int roost_register_compare(sqlite3 *database) {
    const int result = register_function(database, "roost_compare", compare);
    return result == SQLITE_OK ? register_function(database, "roost_is_number_in", is_number_in) : result;
}
