/// A part of a query: a word or a quoted text, with the operators before and after it.
struct QueryPiece: Sendable {
    var text: Substring
    var isQuoted = false
    var isExcluded = false
    var isPrefix = false
    var field: TextField?

    /// Whether texts without the piece do not match.
    var isRequired: Bool { (isQuoted || field != nil) && !isExcluded }

    /// The minimum number of characters of a word that a hyphen excludes. Shorter words after a hyphen are
    /// options of commands, as in `rebase -i`.
    private static let minimumExclusion = 3

    /// The maximum number of words of a query with operators. Longer ones are pasted texts.
    private static let maximumWords = 32

    private static let fields: [(name: String, field: TextField)] = [
        ("title:", .title), ("path:", .path), ("tag:", .tags),
    ]
    private static let closingQuotes: [Character: Character] = ["\"": "\"", "\u{201C}": "\u{201D}"]

    static func pieces(of text: String) -> [QueryPiece] {
        let words = text.split(whereSeparator: \.isWhitespace)
        guard words.count <= maximumWords else { return words.map { QueryPiece(text: $0) } }
        var pieces: [QueryPiece] = []
        var rest = text[...]
        // Closing quotation marks that do not occur in the rest of the query are not searched for again.
        var unclosed = Set<Character>()
        while let first = rest.first {
            if first.isWhitespace {
                rest.removeFirst()
                continue
            }
            var body = rest
            let isExcluded = first == "-"
            if isExcluded { body.removeFirst() }
            let field = removeField(from: &body)
            if let open = body.first, let close = closingQuotes[open], !unclosed.contains(close) {
                if let end = body.dropFirst().firstIndex(of: close) {
                    let quoted = body[body.index(after: body.startIndex)..<end]
                    pieces.append(
                        QueryPiece(text: quoted, isQuoted: true, isExcluded: isExcluded, field: field))
                    rest = body[body.index(after: end)...]
                    continue
                }
                unclosed.insert(close)
            }
            let end = rest.firstIndex(where: \.isWhitespace) ?? rest.endIndex
            pieces.append(word(rest[..<end], body[..<end], isExcluded: isExcluded, field))
            rest = rest[end...]
        }
        return pieces
    }

    /// Returns the piece of a word without quotation marks.
    ///
    /// - Parameters:
    ///   - word: The word with its operators.
    ///   - body: The word without a hyphen and a field before it.
    private static func word(
        _ word: Substring, _ body: Substring, isExcluded: Bool, _ field: TextField?
    ) -> QueryPiece {
        let isPrefix = body.count > 1 && body.last == "*"
        let content = isPrefix ? body.dropLast() : body
        let isOperator = field != nil || isExcluded
        let isQuotation = content.first.map { closingQuotes[$0] != nil } ?? true
        let isValid =
            field != nil
            ? !isQuotation : content.first?.isLetter == true && content.count >= minimumExclusion
        guard !isOperator || isValid else { return QueryPiece(text: word) }
        return QueryPiece(text: content, isExcluded: isExcluded, isPrefix: isPrefix, field: field)
    }

    private static func removeField(from text: inout Substring) -> TextField? {
        for (name, field) in fields where text.hasPrefix(name) {
            let body = text.dropFirst(name.count)
            guard let first = body.first, !first.isWhitespace else { return nil }
            text = body
            return field
        }
        return nil
    }
}
