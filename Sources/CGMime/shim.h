#include <gmime/gmime.h>

// Macros of GObject that Swift cannot import, as functions.

static inline int roost_mime_is_multipart(GMimeObject *object) { return GMIME_IS_MULTIPART(object); }
static inline int roost_mime_is_encrypted(GMimeObject *object) { return GMIME_IS_MULTIPART_ENCRYPTED(object); }
static inline int roost_mime_is_text(GMimeObject *object) { return GMIME_IS_TEXT_PART(object); }
static inline int roost_mime_is_part(GMimeObject *object) { return GMIME_IS_PART(object); }
static inline int roost_mime_is_message(GMimeObject *object) { return GMIME_IS_MESSAGE_PART(object); }

static inline GMimeMultipart *roost_mime_multipart(GMimeObject *object) { return GMIME_MULTIPART(object); }
static inline GMimePart *roost_mime_part(GMimeObject *object) { return GMIME_PART(object); }
static inline GMimeMessagePart *roost_mime_message_part(GMimeObject *object) { return GMIME_MESSAGE_PART(object); }
static inline GMimeObject *roost_mime_object(GMimeMessage *message) { return GMIME_OBJECT(message); }
static inline GByteArray *roost_mime_bytes(GMimeStream *stream) {
    return g_mime_stream_mem_get_byte_array(GMIME_STREAM_MEM(stream));
}
static inline void roost_mime_release(void *object) { g_object_unref(object); }

// Creates a stream of bytes that are not copied. They must outlive the stream.
static inline GMimeStream *roost_mime_stream(const void *bytes, guint length) {
    GByteArray *array = g_byte_array_new();
    array->data = (guint8 *)bytes;
    array->len = length;
    GMimeStream *stream = g_mime_stream_mem_new_with_byte_array(array);
    g_mime_stream_mem_set_owner(GMIME_STREAM_MEM(stream), FALSE);
    return stream;
}

// Releases a stream of bytes that were not copied.
static inline void roost_mime_release_stream(GMimeStream *stream) {
    GByteArray *array = g_mime_stream_mem_get_byte_array(GMIME_STREAM_MEM(stream));
    g_object_unref(stream);
    array->data = NULL;
    array->len = 0;
    g_byte_array_unref(array);
}
