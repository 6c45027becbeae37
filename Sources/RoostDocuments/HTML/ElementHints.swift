/// Hints about the purpose of elements, from the words in their classes, ids and roles.
struct ElementHints {
    /// Groups of words with a similar purpose. Words of five letters or more also match the beginning or the
    /// end of a longer word in a class, such as `sidebar` in `leftsidebar`.
    static let groups: [[String]] = [
        ["nav", "navigation", "navbar", "menu", "submenu", "breadcrumb", "crumbs", "toolbar", "tabs"],
        ["pagination", "pager", "paging", "next", "prev", "previous", "skip", "jump", "toc", "anchor"],
        ["header", "masthead", "topbar", "banner", "branding", "logo", "announcement", "alert", "notice"],
        ["footer", "foot", "copyright", "legal", "colophon", "disclaimer", "bottom"],
        ["sidebar", "aside", "side", "rail", "widget", "drawer", "complementary", "secondary", "sticky"],
        [
            "ad", "ads", "advert", "advertisement", "sponsor", "sponsored", "promo", "promotion", "cta",
            "upsell",
        ],
        ["share", "sharing", "social", "follow", "facebook", "twitter", "newsletter", "subscribe", "signup"],
        ["cookie", "consent", "gdpr", "modal", "popup", "overlay", "dialog", "tooltip", "toast", "lightbox"],
        [
            "related", "recommend", "recommended", "similar", "more", "also", "carousel", "slider", "recent",
            "trending",
        ],
        ["comment", "comments", "reply", "replies", "disqus", "discussion", "respond", "answer", "answers"],
        ["post", "message", "thread", "topic", "forum", "bbp", "question", "cooked", "msg"],
        [
            "content", "article", "entry", "main", "story", "prose", "markdown", "documentation", "docs",
            "body",
        ],
        ["text", "description", "desc", "summary", "excerpt", "intro", "lead", "copy", "paragraph", "rte"],
        ["product", "spec", "specs", "specification", "detail", "details", "feature", "features", "pdp"],
        [
            "price", "cart", "buy", "shipping", "quantity", "qty", "stock", "variant", "swatch", "checkout",
            "sku",
        ],
        ["review", "reviews", "rating", "ratings", "stars", "testimonial", "testimonials"],
        [
            "meta", "author", "byline", "date", "time", "tags", "tag", "category", "categories", "label",
            "badge",
        ],
        ["avatar", "profile", "signature", "user", "username", "member", "account", "login", "bio"],
        ["card", "item", "tile", "result", "results", "teaser", "collection", "grid", "list", "listing"],
        [
            "filter", "filters", "facet", "facets", "sort", "refine", "search", "form", "input", "select",
            "option",
        ],
        ["hidden", "hide", "sr", "visually", "screenreader", "invisible", "mobile", "noprint", "collapse"],
        ["hero", "title", "headline", "heading", "subtitle", "page"],
        ["faq", "accordion", "panel", "tab", "section", "block"],
        ["button", "btn", "action", "actions", "link", "links", "icon", "image", "img", "media", "caption"],
    ]

    private static let exact: [String: UInt32] = {
        var result: [String: UInt32] = [:]
        for (group, words) in groups.enumerated() {
            for word in words { result[word, default: 0] |= 1 << group }
        }
        return result
    }()
    private static let affixes: [(word: String, mask: UInt32)] = groups.enumerated().flatMap { group, words in
        words.filter { $0.utf8.count >= 5 }.map { ($0, 1 << group) }
    }

    private var cache: [String: UInt32] = [:]

    /// Returns the groups that contain words, as a set of bits.
    static func mask(ofGroupsWith words: [String]) -> UInt32 {
        words.reduce(0) { $0 | (exact[$1] ?? 0) }
    }

    /// Returns the groups of an element as a set of bits.
    mutating func mask(of node: HTMLTree.Node) -> UInt32 {
        var mask: UInt32 = 0
        for attribute in node.attributes where ["class", "id", "role"].contains(attribute.name) {
            mask |= self.mask(ofNames: attribute.value)
        }
        return mask
    }

    /// Returns the groups of a text, such as a heading, as a set of bits.
    mutating func mask(ofNames text: String) -> UInt32 {
        if let known = cache[text] { return known }
        var mask: UInt32 = 0
        for word in Self.words(text) {
            if let known = cache[word] {
                mask |= known
                continue
            }
            var bits = Self.exact[word] ?? 0
            if word.utf8.count >= 6, word.utf8.count <= 40 {
                for affix in Self.affixes where word.hasPrefix(affix.word) || word.hasSuffix(affix.word) {
                    bits |= affix.mask
                }
            }
            cache[word] = bits
            mask |= bits
        }
        cache[text] = mask
        return mask
    }

    /// Returns the words of an identifier such as `post-body`, `post_body` or `postBody`, in lowercase
    /// letters.
    static func words(_ text: String) -> [String] {
        var result: [String] = []
        var word: [UInt8] = []
        var followsLowercase = false
        func finish() {
            if !word.isEmpty { result.append(String(decoding: word, as: UTF8.self)) }
            word = []
        }
        for byte in text.utf8 {
            let lowercase = byte | 0x20
            guard lowercase >= 0x61, lowercase <= 0x7A, byte < 0x80 else {
                finish()
                followsLowercase = false
                continue
            }
            if byte < 0x61, followsLowercase { finish() }
            followsLowercase = byte >= 0x61
            word.append(lowercase)
        }
        finish()
        return result
    }
}
