// The headers of libxml2 include those of ICU if libxml2 was built with it. These conflict with the ICU headers of
// Foundation. Only the private parts of structures depend on ICU, so its declarations are not needed here.
#include <libxml/xmlversion.h>
#undef LIBXML_ICU_ENABLED

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/HTMLparser.h>
#include <libxml/tree.h>
#include <libxml/xmlerror.h>
