/// A word, a quoted phrase or a condition in a query, with its operators.
struct QueryPiece: Sendable {
    /// The text without operators, except a final `*`.
    var text: Substring
    /// Whether the text was quoted.
    var isQuoted = false
    /// Whether texts that contain the piece are excluded.
    var isExcluded = false
    /// The field that the piece is restricted to; `nil` for all fields.
    var field: TextField?
    /// Whether operators in the text have no effect, because a backslash precedes them.
    var isLiteral = false
    /// The excluded word with its hyphen and the word before it, such as `commit -amend`; `nil` unless the
    /// piece is a `-word` after another word, which may be meant as text.
    var phrase: String?
    /// The range of the word `--not` and the piece after it, which it excludes; `nil` for other pieces.
    var negation: Range<String.Index>?

    /// The piece as text instead of an exclusion.
    var asText: QueryPiece {
        QueryPiece(text: text.base[text.base.index(before: text.startIndex)..<text.endIndex])
    }

    /// The words around the asterisks of a path such as `notes/*.md`, as one piece each; otherwise the piece
    /// itself. The words before an asterisk must be adjacent, and the last one is a prefix, as in
    /// `notes/draft*.md` and `notes/2024-0*.md`.
    var partsOfPattern: [QueryPiece] {
        guard field == .path, !isQuoted, text.contains("*") else { return [self] }
        return text.split(separator: "*").map { part in
            // A period after an asterisk begins an extension and not the name of a hidden file.
            let isExtension = part.first == "." && part.startIndex > text.startIndex
            let start = isExtension ? text.index(after: part.startIndex) : part.startIndex
            let hasAsterisk = part.endIndex < text.endIndex
            return text[start..<(hasAsterisk ? text.index(after: part.endIndex) : part.endIndex)]
        }.filter(Self.hasWord).map { words in
            var piece = self
            piece.text = words
            return piece
        }
    }

    /// The names of the fields in queries.
    private static let fields: [(name: String, field: TextField)] = [
        ("title:", .title), ("path:", .path), ("tag:", .tags), ("tags:", .tags),
    ]
    private static let closingQuotes: [Character: Character] = ["\"": "\"", "\u{201C}": "\u{201D}"]
    /// The maximum number of ASCII characters after a hyphen that does not exclude them: those of the options
    /// of commands, such as `-i`.
    private static let maximumOptionLength = 2

    /// Splits a query at spaces and quotation marks.
    ///
    /// - Complexity: O(length of text).
    static func pieces(of text: String) -> [QueryPiece] {
        var pieces: [QueryPiece] = []
        var rest = text[...]
        // Closing quotation marks that are known not to occur in the rest of the query. They are not searched
        // for again.
        var unclosed = Set<Character>()
        while let first = rest.first {
            if first.isWhitespace {
                rest.removeFirst()
                continue
            }
            var after = rest
            let isExcluded = first == "-"
            if isExcluded { after.removeFirst() }
            let field = removeField(from: &after)
            if let open = after.first, let close = closingQuotes[open], !unclosed.contains(close) {
                let quoted = after.dropFirst()
                if let end = quoted.firstIndex(of: close) {
                    pieces.append(
                        QueryPiece(
                            text: quoted[..<end], isQuoted: true, isExcluded: isExcluded, field: field))
                    rest = quoted[quoted.index(after: end)...]
                    continue
                }
                unclosed.insert(close)
            }
            // The end of the word is searched for only here, because a long text without spaces can contain
            // many quoted pieces.
            let end = rest.firstIndex(where: \.isWhitespace) ?? rest.endIndex
            let word = rest[..<end]
            if first == "\\", hasOperator(word.dropFirst()) {
                pieces.append(QueryPiece(text: word.dropFirst(), isLiteral: true))
            } else {
                pieces.append(piece(word, after[..<end], isExcluded, field, after: pieces.last))
            }
            rest = rest[end...]
        }
        return withNegations(pieces)
    }

    /// The word that excludes the piece after it.
    static let not = "--not"

    /// Whether the piece is the word `--not`, perhaps with backslashes before it.
    var isNot: Bool { !isQuoted && field == nil && text.drop { $0 == "\\" } == Self.not }

    /// Returns a text in which `--not` excludes nothing. See ``TextQuery/escapedExclusions(_:)``.
    static func escapedExclusions(_ text: String) -> String {
        var result = ""
        var start = text.startIndex
        for piece in pieces(of: text) {
            // The excluded piece can be the same word.
            for position in [piece.negation?.lowerBound, piece.isNot ? piece.text.startIndex : nil] {
                guard let position else { continue }
                result += text[start..<position] + "\\"
                start = position
            }
        }
        return result + text[start...]
    }

    /// Returns the pieces with an exclusion in place of the word `--not` and the piece after it.
    private static func withNegations(_ pieces: [QueryPiece]) -> [QueryPiece] {
        var result: [QueryPiece] = []
        for piece in pieces {
            if let last = result.last, last.text == not, last.isNot, !last.isLiteral,
                last.negation == nil, piece.isQuoted || !Term.terms(of: String(piece.text)).isEmpty
            {
                result.removeLast()
                var excluded = piece
                excluded.isExcluded = true
                excluded.phrase = nil
                var end = piece.text.endIndex
                if piece.isQuoted { end = piece.text.base.index(after: end) }
                excluded.negation = last.text.startIndex..<end
                result.append(excluded)
            } else {
                result.append(piece)
            }
        }
        return result
    }

    /// Returns the piece for a word that is not quoted.
    ///
    /// - Parameters:
    ///   - word: The word with its operators.
    ///   - body: The word without them.
    ///   - previous: The piece before it.
    private static func piece(
        _ word: Substring, _ body: Substring, _ isExcluded: Bool, _ field: TextField?,
        after previous: QueryPiece?
    ) -> QueryPiece {
        guard let first = body.first, closingQuotes[first] == nil,
            first.isLetter || first.isNumber || isEmoji(first) || (field != nil && hasWord(body))
        else { return QueryPiece(text: word) }
        var piece = QueryPiece(text: body, isExcluded: isExcluded, field: field)
        guard isExcluded, field == nil else { return piece }
        let isOption = body.utf8.count <= maximumOptionLength && body.allSatisfy(\.isASCII)
        // A hyphen before a digit is the sign of a number.
        if isOption || first.isNumber { return QueryPiece(text: word) }
        if let previous, !previous.isExcluded, previous.field == nil,
            let last = previous.text.split(whereSeparator: \.isWhitespace).last
        {
            piece.phrase = "\(last) \(word)"
        }
        return piece
    }

    private static func hasWord(_ text: Substring) -> Bool {
        text.contains { $0.isLetter || $0.isNumber || isEmoji($0) }
    }

    /// Returns whether a character is an emoji, which is a word. Other symbols after a hyphen, such as those
    /// of currencies, are text.
    private static func isEmoji(_ character: Character) -> Bool {
        !character.isASCII && character.unicodeScalars.first?.properties.isEmoji == true
    }

    /// Removes the name of a field and its colon, if other text follows directly.
    private static func removeField(from text: inout Substring) -> TextField? {
        for (name, field) in fields where text.hasPrefix(name) {
            let body = text.dropFirst(name.count)
            guard let first = body.first, !first.isWhitespace else { return nil }
            text = body
            return field
        }
        return nil
    }

    /// Returns whether a word begins or ends with characters that are operators. Backslashes before them do
    /// not count.
    private static func hasOperator(_ word: Substring) -> Bool {
        let text = word.drop { $0 == "\\" }
        guard let first = text.first else { return false }
        return first == "-" || closingQuotes[first] != nil || text.last == "*"
            || fields.contains { text.hasPrefix($0.name) }
    }

    /// Returns a text in which operators have no effect. See ``TextQuery/escaped(_:)``.
    static func escaped(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(where: \.isWhitespace) ?? rest.endIndex
            let word = rest[..<end]
            if hasOperator(word) { result.append("\\") }
            result += word
            let next = rest[end...].firstIndex { !$0.isWhitespace } ?? rest.endIndex
            result += rest[end..<next]
            rest = rest[next...]
        }
        return result
    }
}
