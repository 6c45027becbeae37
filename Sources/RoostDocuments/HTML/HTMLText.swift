import Foundation

/// Conversions between plain text and markup.
enum HTMLText {
    /// Returns a text with character references for the characters that begin markup.
    static func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
            .replacingOccurrences(of: "\"", with: "&quot;")
    }

    /// Returns the text of markup, such as `Q&amp;A`; a text without markup is unchanged.
    static func plain(_ markup: String) -> String {
        guard markup.contains("&") || markup.contains("<") else { return markup }
        let page = HTMLPage(Data(markup.utf8), encodingName: "utf-8")
        return page.blocks.map(\.text).joined(separator: " ")
    }
}
