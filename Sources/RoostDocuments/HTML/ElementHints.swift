/// Hints about the purpose of elements, from the words in their classes, ids and roles.
struct ElementHints {
    /// Groups of words with a similar purpose. Words of five letters or more also match the beginning or the
    /// end of a longer word in a class, such as `sidebar` in `leftsidebar`.
    static let groups: [[String]] = [
        [
            "nav", "navigation", "navbar", "menu", "breadcrumb", "toolbar", "tabs", "pagination", "toc",
            "skip",
        ],
        ["header", "masthead", "topbar", "banner", "logo", "alert", "notice"],
        ["footer", "copyright", "legal", "colophon", "disclaimer", "bottom"],
        ["share", "social", "follow", "newsletter", "subscribe", "signup", "cookie", "modal", "popup"],
        ["comment", "comments", "reply", "discussion", "respond", "answer", "review", "reviews", "rating"],
        ["text", "description", "desc", "summary", "excerpt", "intro", "lead", "copy", "paragraph", "rte"],
        ["hidden", "hide", "visually", "screenreader", "invisible", "mobile", "noprint", "collapse"],
        ["button", "btn", "action", "actions", "link", "links", "icon", "image", "media", "caption"],
    ]

    private static let exact: [String: UInt32] = {
        var result: [String: UInt32] = [:]
        for (group, words) in groups.enumerated() {
            for word in words { result[word, default: 0] |= 1 << group }
        }
        return result
    }()
    private static let affixes = exact.filter { $0.key.utf8.count >= 5 }

    private var cache: [String: UInt32] = [:]

    /// Returns the groups of an element as a set of bits.
    mutating func mask(of node: HTMLTree.Node) -> UInt32 {
        ["class", "id", "role"].reduce(0) { $0 | (node.attribute($1).map { mask(ofNames: $0) } ?? 0) }
    }

    private mutating func mask(ofNames text: String) -> UInt32 {
        if let known = cache[text] { return known }
        var mask: UInt32 = 0
        for word in Self.words(text) {
            let bits = cache[word] ?? Self.mask(ofWord: word)
            cache[word] = bits
            mask |= bits
        }
        cache[text] = mask
        return mask
    }

    private static func mask(ofWord word: String) -> UInt32 {
        let bits = exact[word] ?? 0
        guard (6...40).contains(word.utf8.count) else { return bits }
        return affixes.reduce(bits) {
            word.hasPrefix($1.key) || word.hasSuffix($1.key) ? $0 | $1.value : $0
        }
    }

    /// Returns the words of an identifier such as `post-body`, `post_body` or `postBody`, in lowercase
    /// letters.
    private static func words(_ text: String) -> [String] {
        var result: [String] = []
        var word = ""
        var followsLowercase = false
        for character in text.unicodeScalars {
            let isLetter = character.isASCII && character.properties.isAlphabetic
            let isUppercase = character.properties.isUppercase
            if !isLetter || isUppercase && followsLowercase {
                if !word.isEmpty { result.append(word.lowercased()) }
                word = ""
            }
            if isLetter { word.unicodeScalars.append(character) }
            followsLowercase = isLetter && !isUppercase
        }
        return word.isEmpty ? result : result + [word.lowercased()]
    }
}
