import Foundation

/// Reads a feed in the format JSON Feed 1.1.
enum JSONFeed {
    static func read(_ data: Data) throws -> Feed {
        let value: Any
        do {
            value = try JSONSerialization.jsonObject(with: data)
        } catch {
            throw DocumentError.damaged("it is not valid JSON")
        }
        guard let object = value as? [String: Any], let items = object["items"] as? [Any] else {
            throw DocumentError.unsupported("it is not a feed: it has no items")
        }
        return Feed(
            title: object["title"] as? String, link: object["home_page_url"] as? String,
            language: object["language"] as? String,
            items: items.compactMap { ($0 as? [String: Any]).map(item) })
    }

    private static func item(_ object: [String: Any]) -> Feed.Item {
        let authors = object["authors"] as? [[String: Any]] ?? [object["author"] as? [String: Any] ?? [:]]
        let names = authors.compactMap { $0["name"] as? String }
        let markup = object["content_html"] as? String
        let text = object["content_text"] as? String ?? object["summary"] as? String
        return Feed.Item(
            id: object["id"] as? String ?? (object["id"] as? Int).map { String($0) },
            link: object["url"] as? String ?? object["external_url"] as? String,
            title: object["title"] as? String, author: names.isEmpty ? nil : names.joined(separator: ", "),
            published: object["date_published"] as? String, updated: object["date_modified"] as? String,
            categories: object["tags"] as? [String] ?? [], content: markup ?? text ?? "",
            isMarkup: markup != nil)
    }
}
