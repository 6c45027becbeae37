/// A Markdown text that a reader writes block by block, with a maximum length.
struct MarkdownOutput {
    private(set) var text = ""
    /// The maximum number of bytes of a block that can be added.
    var remainingBytes: Int { max(maximumBytes - text.utf8.count, 0) }

    private let maximumBytes: Int
    private var endsWithListItem = false

    init(limits: DocumentLimits) { maximumBytes = limits.maximumTextBytes }

    /// Appends a block after an empty line. Blocks without text are ignored.
    ///
    /// - Throws: ``DocumentError/limitExceeded(_:)`` if the text becomes too long.
    mutating func add(_ block: String, isListItem: Bool = false) throws {
        guard block.utf8.contains(where: { $0 != 0x20 && $0 != 0x0A && $0 != 0x09 }) else { return }
        try requireRoom(block.utf8.count)
        if !text.isEmpty { text += isListItem && endsWithListItem ? "\n" : "\n\n" }
        text += block
        endsWithListItem = isListItem
    }

    /// Checks that a block with a number of bytes can be added.
    ///
    /// - Throws: ``DocumentError/limitExceeded(_:)`` if the text would become too long.
    func requireRoom(_ bytes: Int) throws(DocumentError) {
        guard text.utf8.count + bytes <= maximumBytes else { throw Self.tooLong(maximumBytes) }
    }

    /// Returns the error for a text that exceeds a number of bytes.
    static func tooLong(_ maximumBytes: Int) -> DocumentError {
        .limitExceeded("its text exceeds \(maximumBytes) bytes")
    }

    /// Ends a list, so that the next item begins another one.
    mutating func endBlock() { endsWithListItem = false }

    mutating func endPage() {
        text += "\n\n\u{C}"
        endsWithListItem = false
    }
}
