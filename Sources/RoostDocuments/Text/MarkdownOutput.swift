/// A Markdown text that a reader writes block by block, with a maximum length.
struct MarkdownOutput {
    /// The text.
    private(set) var text = ""
    private let maximumBytes: Int
    private var endsWithListItem = false

    init(limits: DocumentLimits) { maximumBytes = limits.maximumTextBytes }

    /// Appends a block after an empty line. Blocks without text are ignored.
    ///
    /// - Throws: ``DocumentError/limitExceeded(_:)`` if the text becomes too long.
    mutating func add(_ block: String, isListItem: Bool = false) throws {
        guard block.utf8.contains(where: { $0 != 0x20 && $0 != 0x0A && $0 != 0x09 }) else { return }
        guard text.utf8.count + block.utf8.count <= maximumBytes else {
            throw DocumentError.limitExceeded("its text exceeds \(maximumBytes) bytes")
        }
        if !text.isEmpty { text += isListItem && endsWithListItem ? "\n" : "\n\n" }
        text += block
        endsWithListItem = isListItem
    }

    /// Ends a list, so that the next item begins another one.
    mutating func endBlock() { endsWithListItem = false }

    /// Ends a page.
    mutating func endPage() {
        text += "\n\n\u{C}"
        endsWithListItem = false
    }
}
