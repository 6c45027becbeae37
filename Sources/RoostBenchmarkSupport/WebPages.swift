public import Foundation
import RoostDocuments

/// A block of a web page, with the features from which its score is computed.
public struct WebPageBlock: Sendable {
    /// The text with single spaces.
    public var text: String
    /// The features.
    public var features: [Float]
}

/// Returns the blocks of a web page, and the names of their features.
public func webPageBlocks(_ page: Data) -> (names: [String], blocks: [WebPageBlock]) {
    let (names, blocks) = HTMLPage(page).scoredBlocks()
    return (names, blocks.map { WebPageBlock(text: $0.text, features: $0.features) })
}

/// Returns the main content of a web page as Markdown; an empty text if the page has no main content.
///
/// - Throws: `CancellationError`.
public func webPageText(_ page: Data) async throws -> String {
    do {
        let input = DocumentInput(data: page, path: "page.html")
        return try await HTMLReader().read(input, as: HTMLReader.type).first?.text ?? ""
    } catch is DocumentError {
        return ""
    }
}
