/// Finds the declarations in source code of languages that enclose bodies in braces.
struct BracedOutline {
    private let lines: CodeLines
    private let language: CodeLanguage
    private let endsAtNewline: Bool
    /// The offsets of closing braces by those of the opening ones. A search from each opening brace would
    /// need quadratic time if very many of them are never closed.
    private let closingBraces: [Int: Int]
    private var mask: [UInt8] { lines.mask }

    private static let maximumDepth = 20

    init(_ lines: CodeLines, language: CodeLanguage, endsAtNewline: Bool) {
        self.lines = lines
        self.language = language
        self.endsAtNewline = endsAtNewline
        closingBraces = Self.closingBraces(lines.mask)
    }

    private static func closingBraces(_ mask: [UInt8]) -> [Int: Int] {
        var (open, result) = ([Int](), [Int: Int]())
        for (index, byte) in mask.enumerated() {
            if byte == UInt8(ascii: "{") { open.append(index) }
            if byte == UInt8(ascii: "}"), let brace = open.popLast() { result[brace] = index }
        }
        return result
    }

    /// Returns the declarations of the whole text.
    func declarations() -> [CodeDeclaration] { declarations(in: 0..<mask.count, depth: 0) }

    private func declarations(in range: Range<Int>, depth: Int) -> [CodeDeclaration] {
        var result: [CodeDeclaration] = []
        var (index, previousEnd) = (range.lowerBound, range.lowerBound)
        while index < range.upperBound {
            let byte = mask[index]
            if byte <= 0x20 || byte == UInt8(ascii: ";") || byte == UInt8(ascii: "}")
                || byte == UInt8(ascii: ",")
                || byte == UInt8(ascii: ")")
            {
                index += 1
                continue
            }
            var (end, body) = statement(from: index, limit: range.upperBound)
            let headerEnd = body?.lowerBound ?? end
            let header = header(index..<headerEnd, hasBody: body != nil)
            var alias: String?
            if body != nil, let definition = typeDefinition(index..<headerEnd, end, limit: range.upperBound) {
                (alias, end) = definition
            }
            if let name = header.name ?? alias {
                let children =
                    header.isContainer && depth < Self.maximumDepth
                    ? body.map { declarations(in: $0, depth: depth + 1) } ?? [] : []
                if name.isEmpty {
                    result += children
                } else {
                    let whole = extended(index..<end, after: previousEnd)
                    result.append(CodeDeclaration(name: name, range: whole, children: children))
                }
            }
            index = max(end, index + 1)
            previousEnd = index
        }
        return result
    }

    private func header(_ range: Range<Int>, hasBody: Bool) -> CodeHeader {
        CodeHeader(CodeTokens(mask, range), language: language, hasBody: hasBody) {
            lines.quotedText(in: range)
        }
    }

    /// The maximum number of bytes between the body of a type definition and its end.
    private static let maximumAliasLength = 1000

    /// Returns the name and the end of a type definition of C, such as `typedef struct { … } name;`, from its
    /// header and the end of its body; `nil` for other statements.
    private func typeDefinition(_ header: Range<Int>, _ end: Int, limit: Int) -> (name: String?, end: Int)? {
        guard ["c", "cpp"].contains(language.name),
            CodeTokens(mask, header).tokens.first?.text == "typedef",
            let semicolon = mask[end..<min(limit, end + Self.maximumAliasLength)].firstIndex(of: 0x3B)
        else { return nil }
        let name = CodeTokens(mask, end..<semicolon).tokens.first(where: \.isWord)?.text
        return (name, semicolon + 1)
    }

    /// Returns the end of the statement that begins at an offset, and the range between the braces of its
    /// body; `nil` if it has no body.
    private func statement(from start: Int, limit: Int) -> (end: Int, body: Range<Int>?) {
        var (index, depth, isAssigned) = (start, 0, false)
        var body: Range<Int>?
        let firstLine = lines.line(of: start)
        let column = lines.indentation(firstLine) ?? 0
        // The beginning of the line with which the statement continues, perhaps after very many blank lines.
        var next = 0
        while index < limit {
            switch mask[index] {
            case UInt8(ascii: "("), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"): depth = max(0, depth - 1)
            case UInt8(ascii: "{"):
                var close = closingBrace(of: index, limit: limit)
                if depth == 0, column == 0, !isAssigned, let end = functionEnd(start, index..<close, limit) {
                    close = end
                }
                if depth == 0, !isTypeArgument(index, close) {
                    body = (index + 1)..<close
                    // An expression can continue after a closure.
                    guard isAssigned && endsAtNewline else { return (min(close + 1, limit), body) }
                }
                index = close
            case UInt8(ascii: "=") where depth == 0: isAssigned = isAssigned || isAssignment(index)
            case UInt8(ascii: "}") where depth == 0: return (index, body)
            case UInt8(ascii: ";") where depth == 0:
                // The parameters of a function of C before 1989 precede its body.
                guard body == nil, !isAssigned, let brace = oldStyleBody(start, index, limit) else {
                    return (index + 1, body)
                }
                index = brace - 1
            case 0x0A where depth == 0 && endsAtNewline && index >= next:
                guard let line = continuation(behind: index, from: start, column: column, limit: limit) else {
                    return (index, body)
                }
                next = line
            default: break
            }
            index += 1
        }
        return (limit, body)
    }

    /// Returns whether an equals sign is not a part of another operator.
    private func isAssignment(_ index: Int) -> Bool {
        let previous = index > 0 ? mask[index - 1] : 0
        let next = index + 1 < mask.count ? mask[index + 1] : 0
        return !"=!<>".utf8.contains(previous) && !"=>".utf8.contains(next)
    }

    /// Returns the offset of the closing brace that matches an opening brace; `limit` if it is missing.
    private func closingBrace(of open: Int, limit: Int) -> Int {
        min(closingBraces[open] ?? limit, limit)
    }

    /// Returns the offset of the first closing brace in the first column, with which the body of a function
    /// of C ends that begins there; `nil` if the matching brace is its end, and for other statements. The
    /// branches of `#if` and `#else` can contain different numbers of opening and closing braces.
    private func functionEnd(_ start: Int, _ body: Range<Int>, _ limit: Int) -> Int? {
        guard language.name == "c", mask[start..<body.lowerBound].last(where: { $0 > 0x20 }) == 0x29 else {
            return nil
        }
        let bytes = mask[body]
        var line = bytes.firstIndex(of: 0x0A)
        while let newline = line, newline + 1 < body.upperBound {
            if mask[newline + 1] == UInt8(ascii: "}") {
                // A table in the function can also end in the first column.
                let isUncertain = body.upperBound == limit || hasConditions(body.lowerBound..<newline)
                return isUncertain ? newline + 1 : nil
            }
            line = bytes[(newline + 1)...].firstIndex(of: 0x0A)
        }
        return nil
    }

    /// The maximum number of bytes of the parameters of a function in the form of C before 1989.
    private static let maximumParametersLength = 2000

    /// Returns the offset of the opening brace of a function in the form of C before 1989, such as
    /// `int sum(a, b) int a; int *b; {`, of which the first semicolon is known; `nil` for other statements.
    private func oldStyleBody(_ start: Int, _ semicolon: Int, _ limit: Int) -> Int? {
        guard language.name == "c", semicolon - start <= Self.maximumParametersLength,
            let parenthesis = mask[start..<semicolon].lastIndex(of: UInt8(ascii: ")")),
            mask[(parenthesis + 1)..<semicolon].contains(where: CodeMask.isNameByte)
        else { return nil }
        // Only further declarations, without parentheses and values, may be between it and the brace.
        var previous = UInt8(ascii: ";")
        for index in semicolon..<min(limit, semicolon + Self.maximumParametersLength) {
            let byte = mask[index]
            if byte == UInt8(ascii: "{") { return previous == UInt8(ascii: ";") ? index : nil }
            guard byte <= 0x20 || CodeMask.isNameByte(byte) || "*,;[]".utf8.contains(byte) else { return nil }
            if byte > 0x20 { previous = byte }
        }
        return nil
    }

    /// Returns whether a line of a range is a directive such as `#if` or `#else`.
    private func hasConditions(_ range: Range<Int>) -> Bool {
        (lines.line(of: range.lowerBound)...lines.line(of: range.upperBound)).contains { line in
            let text = lines.source[lines.range(line)].drop { $0 == 0x20 || $0 == 0x09 }
            guard text.first == UInt8(ascii: "#") else { return false }
            let word = text.dropFirst().drop { $0 == 0x20 || $0 == 0x09 }
            return ["if", "el", "endif"].contains { word.starts(with: $0.utf8) }
        }
    }

    private static let typedLanguages: Set = ["typescript", "vue", "svelte"]

    /// Returns whether braces enclose the members of a type of TypeScript, not the body of a statement,
    /// as in `Boat<{}>`, `<T = {}>` and the result of `load(): { count: number } {`.
    private func isTypeArgument(_ open: Int, _ close: Int) -> Bool {
        guard Self.typedLanguages.contains(language.name),
            let before = mask[..<open].last(where: { $0 > 0x20 }), close + 1 < mask.count
        else { return false }
        let after = mask[(close + 1)...].first { $0 > 0x20 }
        if before == UInt8(ascii: "<") { return true }
        // In JSX, no space precedes the brace of an attribute's value.
        if after == UInt8(ascii: ">") { return mask[open - 1] <= 0x20 || before != UInt8(ascii: "=") }
        return before == UInt8(ascii: ":") && after == UInt8(ascii: "{")
    }

    /// Returns the beginning of the line with which a statement continues after a line break; `nil` if it
    /// ends. It continues if the next line that is not blank is indented more deeply, or begins with an
    /// operator, an opening brace or a clause, or if the statement has only attributes so far.
    private func continuation(behind newline: Int, from start: Int, column: Int, limit: Int) -> Int? {
        var line = lines.line(of: newline) + 1
        while line < lines.count, lines.indentation(line) == nil { line += 1 }
        guard line < lines.count, lines.starts[line] < limit, let next = lines.indentation(line),
            let first = lines.firstByte(line)
        else { return nil }
        let isContinued: Bool
        if next > column || "{.?:&|+=".utf8.contains(first) {
            isContinued = first != UInt8(ascii: "}")
        } else {
            let word = firstWord(line)
            isContinued =
                Self.clauses.contains(word) || language.name == "swift" && word == "async"
                || mask[start] == UInt8(ascii: "@") && hasOnlyAttributes(start..<newline)
        }
        return isContinued ? lines.starts[line] : nil
    }

    /// The keywords that can begin a clause of a declaration on a separate line.
    private static let clauses: Set = [
        "where", "throws", "extends", "implements", "with", "rethrows",
    ]

    private func firstWord(_ line: Int) -> String {
        let bytes = mask[lines.range(line)].drop { $0 <= 0x20 }.prefix { CodeMask.isNameByte($0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The maximum number of bytes of the attributes before a declaration, which are read again for each
    /// line.
    private static let maximumAttributesLength = 4000

    /// Returns whether each word begins with `@` or follows a punctuation character of an attribute, as in
    /// `@file:JvmName(…)`.
    private func hasOnlyAttributes(_ range: Range<Int>) -> Bool {
        guard range.count <= Self.maximumAttributesLength else { return false }
        let tokens = CodeTokens(mask, range).tokens
        return tokens.indices.allSatisfy { index in
            guard tokens[index].isWord, !tokens[index].text.hasPrefix("@") else { return true }
            return index > 0 && !tokens[index - 1].isWord && tokens[index - 1].text != ")"
        }
    }

    /// Returns the range of a declaration, extended to whole lines and to the comments before it.
    private func extended(_ range: Range<Int>, after previousEnd: Int) -> Range<Int> {
        let line = lines.line(of: range.lowerBound)
        let isFirstOnLine = mask[lines.starts[line]..<range.lowerBound].allSatisfy { $0 <= 0x20 }
        var start = range.lowerBound
        if isFirstOnLine, lines.starts[line] >= previousEnd || previousEnd == 0 {
            let previousLine = previousEnd == 0 ? 0 : lines.line(of: previousEnd) + 1
            start = lines.starts[lines.leadingLine(before: line, minimum: min(previousLine, line))]
        }
        var end = range.upperBound
        while end < mask.count, mask[end] != 0x0A, mask[end] <= 0x20 || mask[end] == UInt8(ascii: ";") {
            end += 1
        }
        if end < mask.count, mask[end] == 0x0A { end += 1 } else { end = range.upperBound }
        return max(start, previousEnd)..<max(end, start)
    }
}
