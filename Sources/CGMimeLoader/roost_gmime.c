#include "roost_gmime.h"

#include <stddef.h>

#if defined(__linux__)

#include <gmime/gmime.h>
#include "roost_loader.h"

// Recent versions of GLib also define a macro.
#undef g_free

static struct roost_library library = {
    .names = {"libgmime-3.0.so.0"},
    .probe = "g_mime_parser_options_set_fallback_charsets",
};

const char *roost_gmime_load(void) { return roost_library_load(&library); }

FORWARD(GByteArray *, g_byte_array_new, (void), ())
FORWARD(void, g_byte_array_unref, (GByteArray *array), (array))
FORWARD(gint64, g_date_time_to_unix, (GDateTime *datetime), (datetime))
FORWARD(void, g_free, (gpointer mem), (mem))
FORWARD(iconv_t, g_mime_iconv_open, (const char *to, const char *from), (to, from))
FORWARD(int, g_mime_iconv_close, (iconv_t cd), (cd))
FORWARD(char *, g_mime_iconv_strndup, (iconv_t cd, const char *str, size_t n), (cd, str, n))
FORWARD(
    GTypeInstance *, g_type_check_instance_cast,
    (GTypeInstance *instance, GType iface_type),
    (instance, iface_type))
FORWARD(
    gboolean, g_type_check_instance_is_a,
    (GTypeInstance *instance, GType iface_type),
    (instance, iface_type))
FORWARD(void, g_object_unref, (gpointer object), (object))
FORWARD(GMimeParserOptions *, g_mime_parser_options_new, (void), ())
FORWARD(void, g_mime_parser_options_free, (GMimeParserOptions *options), (options))
FORWARD(
    void, g_mime_parser_options_set_fallback_charsets,
    (GMimeParserOptions *options, const char **charsets),
    (options, charsets))
FORWARD(char *, g_mime_content_type_get_mime_type, (GMimeContentType *content_type), (content_type))
FORWARD(
    gboolean, g_mime_content_type_is_type,
    (GMimeContentType *content_type, const char *type, const char *subtype),
    (content_type, type, subtype))
FORWARD(
    ssize_t, g_mime_data_wrapper_write_to_stream,
    (GMimeDataWrapper *wrapper, GMimeStream *stream),
    (wrapper, stream))
FORWARD(
    char *, internet_address_to_string,
    (InternetAddress *ia, GMimeFormatOptions *options, gboolean encode),
    (ia, options, encode))
FORWARD(int, internet_address_list_length, (InternetAddressList *list), (list))
FORWARD(
    InternetAddress *, internet_address_list_get_address,
    (InternetAddressList *list, int index),
    (list, index))
FORWARD(GType, g_mime_object_get_type, (void), ())
FORWARD(GMimeContentType *, g_mime_object_get_content_type, (GMimeObject *object), (object))
FORWARD(
    const char *, g_mime_object_get_content_type_parameter,
    (GMimeObject *object, const char *name),
    (object, name))
FORWARD(const char *, g_mime_object_get_header, (GMimeObject *object, const char *header), (object, header))
FORWARD(
    char *, g_mime_object_get_headers,
    (GMimeObject *object, GMimeFormatOptions *options),
    (object, options))
FORWARD(GType, g_mime_part_get_type, (void), ())
FORWARD(gboolean, g_mime_part_is_attachment, (GMimePart *mime_part), (mime_part))
FORWARD(const char *, g_mime_part_get_filename, (GMimePart *mime_part), (mime_part))
FORWARD(GMimeDataWrapper *, g_mime_part_get_content, (GMimePart *mime_part), (mime_part))
FORWARD(GType, g_mime_text_part_get_type, (void), ())
FORWARD(GType, g_mime_multipart_get_type, (void), ())
FORWARD(GMimeObject *, g_mime_multipart_get_part, (GMimeMultipart *multipart, int index), (multipart, index))
FORWARD(int, g_mime_multipart_get_count, (GMimeMultipart *multipart), (multipart))
FORWARD(const char *, g_mime_multipart_get_prologue, (GMimeMultipart *multipart), (multipart))
FORWARD(GType, g_mime_multipart_encrypted_get_type, (void), ())
FORWARD(InternetAddressList *, g_mime_message_get_from, (GMimeMessage *message), (message))
FORWARD(InternetAddressList *, g_mime_message_get_to, (GMimeMessage *message), (message))
FORWARD(InternetAddressList *, g_mime_message_get_cc, (GMimeMessage *message), (message))
FORWARD(InternetAddressList *, g_mime_message_get_bcc, (GMimeMessage *message), (message))
FORWARD(const char *, g_mime_message_get_subject, (GMimeMessage *message), (message))
FORWARD(GDateTime *, g_mime_message_get_date, (GMimeMessage *message), (message))
FORWARD(const char *, g_mime_message_get_message_id, (GMimeMessage *message), (message))
FORWARD(GMimeObject *, g_mime_message_get_mime_part, (GMimeMessage *message), (message))
FORWARD(GType, g_mime_message_part_get_type, (void), ())
FORWARD(GMimeMessage *, g_mime_message_part_get_message, (GMimeMessagePart *part), (part))
FORWARD(GMimeParser *, g_mime_parser_new_with_stream, (GMimeStream *stream), (stream))
FORWARD(void, g_mime_parser_set_format, (GMimeParser *parser, GMimeFormat format), (parser, format))
FORWARD(
    GMimeMessage *, g_mime_parser_construct_message,
    (GMimeParser *parser, GMimeParserOptions *options),
    (parser, options))
FORWARD(gboolean, g_mime_parser_eos, (GMimeParser *parser), (parser))
FORWARD(void, g_mime_references_free, (GMimeReferences *refs), (refs))
FORWARD(
    GMimeReferences *, g_mime_references_parse,
    (GMimeParserOptions *options, const char *text),
    (options, text))
FORWARD(int, g_mime_references_length, (GMimeReferences *refs), (refs))
FORWARD(const char *, g_mime_references_get_message_id, (GMimeReferences *refs, int index), (refs, index))
FORWARD(GType, g_mime_stream_mem_get_type, (void), ())
FORWARD(GMimeStream *, g_mime_stream_mem_new, (void), ())
FORWARD(GMimeStream *, g_mime_stream_mem_new_with_byte_array, (GByteArray *array), (array))
FORWARD(GByteArray *, g_mime_stream_mem_get_byte_array, (GMimeStreamMem *mem), (mem))
FORWARD(void, g_mime_stream_mem_set_owner, (GMimeStreamMem *mem, gboolean owner), (mem, owner))
FORWARD(void, g_mime_init, (void), ())

#else

// On other systems, the program is linked to the library.
const char *roost_gmime_load(void) { return NULL; }

#endif
