import Foundation

/// The addresses of a feed, against which relative addresses in it are resolved (RFC 3986, section 5; XML
/// Base).
struct FeedAddresses {
    private let base: URL?
    /// Whether the feed or the item states the base of its addresses.
    private let isStated: Bool

    /// Determines the base: that of the item, of the feed, the page of the feed, or the feed itself, of
    /// which each can be relative to the next one.
    ///
    /// - Parameter path: The address or path of the feed.
    init(of item: Feed.Item, in feed: Feed, path: String) {
        let stated = [feed.base, item.base].compactMap(\.self)
        isStated = !stated.isEmpty
        let isWeb = path.hasPrefix("https://") || path.hasPrefix("http://")
        base = ([isWeb ? path : nil, feed.link].compactMap(\.self) + stated).reduce(nil as URL?) {
            base, address in
            URL(string: address.trimmingCharacters(in: .whitespacesAndNewlines), relativeTo: base) ?? base
        }
    }

    /// Returns an absolute address, or the address itself if no base is known.
    func resolved(_ address: String) -> String {
        let scheme = address.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
        let isAbsolute = address[scheme.endIndex...].first == ":" && !scheme.isEmpty
        guard let base, base.scheme != nil, !address.isEmpty, !isAbsolute,
            let url = URL(string: address, relativeTo: base), url.host != nil || url.scheme != base.scheme
        else { return address }
        return url.absoluteString
    }

    /// Returns the address against which the links in the content of an item are resolved.
    func baseOfContent(_ link: String?) -> String? {
        isStated ? base?.absoluteString : link ?? base?.absoluteString
    }
}
