#include "roost_page.h"

// `#embed` belongs to C23; clang also accepts it in older C.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char page_html[] = {
#embed "page/page.html"
};
static const unsigned char page_css[] = {
#embed "page/page.css"
};
static const unsigned char strings_js[] = {
#embed "page/strings.js"
};
static const unsigned char dom_js[] = {
#embed "page/dom.js"
};
static const unsigned char api_js[] = {
#embed "page/api.js"
};
static const unsigned char state_js[] = {
#embed "page/state.js"
};
static const unsigned char palette_js[] = {
#embed "page/palette.js"
};
static const unsigned char points_js[] = {
#embed "page/points.js"
};
static const unsigned char labels_js[] = {
#embed "page/labels.js"
};
static const unsigned char map_js[] = {
#embed "page/map.js"
};
static const unsigned char markdown_js[] = {
#embed "page/markdown.js"
};
static const unsigned char actions_js[] = {
#embed "page/actions.js"
};
static const unsigned char search_js[] = {
#embed "page/search.js"
};
static const unsigned char table_js[] = {
#embed "page/table.js"
};
static const unsigned char tree_js[] = {
#embed "page/tree.js"
};
static const unsigned char panel_js[] = {
#embed "page/panel.js"
};
static const unsigned char dialogs_js[] = {
#embed "page/dialogs.js"
};
static const unsigned char offline_js[] = {
#embed "page/offline.js"
};
static const unsigned char main_js[] = {
#embed "page/main.js"
};

#define HTML "text/html; charset=utf-8"
#define CSS "text/css; charset=utf-8"
#define SCRIPT "text/javascript; charset=utf-8"
#define FILE(name, type, bytes) {name, type, bytes, sizeof bytes}

static const struct roost_page_file files[] = {
    FILE("page.html", HTML, page_html),
    FILE("page.css", CSS, page_css),
    FILE("strings.js", SCRIPT, strings_js),
    FILE("dom.js", SCRIPT, dom_js),
    FILE("api.js", SCRIPT, api_js),
    FILE("state.js", SCRIPT, state_js),
    FILE("palette.js", SCRIPT, palette_js),
    FILE("points.js", SCRIPT, points_js),
    FILE("labels.js", SCRIPT, labels_js),
    FILE("map.js", SCRIPT, map_js),
    FILE("markdown.js", SCRIPT, markdown_js),
    FILE("actions.js", SCRIPT, actions_js),
    FILE("search.js", SCRIPT, search_js),
    FILE("table.js", SCRIPT, table_js),
    FILE("tree.js", SCRIPT, tree_js),
    FILE("panel.js", SCRIPT, panel_js),
    FILE("dialogs.js", SCRIPT, dialogs_js),
    FILE("offline.js", SCRIPT, offline_js),
    FILE("main.js", SCRIPT, main_js),
};

const struct roost_page_file *roost_page_file_at(size_t index) {
    return index < sizeof files / sizeof *files ? &files[index] : NULL;
}
