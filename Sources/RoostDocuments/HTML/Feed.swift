/// A feed, independent of its format.
struct Feed {
    struct Item {
        var id: String?
        var link: String?
        /// The base of relative addresses in the item (`xml:base`); `nil` if it is that of the feed.
        var base: String?
        var title: String?
        var author: String?
        var published: String?
        var updated: String?
        var categories: [String] = []
        /// The content, or the summary if there is no content.
        var content = ""
        var isMarkup = true
    }

    var title: String?
    var link: String?
    /// The base of relative addresses in the feed (`xml:base`); `nil` if it does not state one.
    var base: String?
    var language: String?
    var items: [Item] = []
}
