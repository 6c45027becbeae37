/// Finds the declarations in source code of languages that indent the bodies of declarations.
struct IndentedOutline {
    private let lines: CodeLines
    private let language: CodeLanguage

    private static let closers: Set = ["end", "}", ")", "]", "};", "end,", "end)"]
    private static let middles: Set = [
        "else", "elif", "elsif", "elseif", "except", "rescue", "ensure", "finally", "catch", "after", "{",
        "do",
    ]
    private static let control: Set = [
        "if", "for", "while", "switch", "return", "else", "do", "case", "until",
    ]
    private static let maximumDepth = 20

    init(_ lines: CodeLines, language: CodeLanguage) {
        self.lines = lines
        self.language = language
    }

    /// Returns the declarations of the whole text.
    func declarations() -> [CodeDeclaration] { declarations(0..<lines.count, depth: 0) }

    private func declarations(_ range: Range<Int>, depth: Int) -> [CodeDeclaration] {
        var result: [CodeDeclaration] = []
        var (line, minimum) = (range.lowerBound, range.lowerBound)
        while line < range.upperBound {
            guard let column = lines.indentation(line), let (name, isContainer) = header(line) else {
                line += 1
                continue
            }
            let end =
                switch language.name {
                case "objectivec" where isContainer: endOfObjectiveC(from: line, limit: range.upperBound)
                case "julia" where isContainer: endOfModule(from: line, column, limit: range.upperBound)
                default: end(from: line, column: column, limit: range.upperBound)
                }
            let children =
                isContainer && depth < Self.maximumDepth
                ? declarations((line + 1)..<end, depth: depth + 1) : []
            let first = lines.leadingLine(before: line, minimum: minimum)
            let bytes = lines.starts[first]..<lines.starts[end]
            result.append(CodeDeclaration(name: name, range: bytes, children: children))
            line = max(end, line + 1)
            minimum = line
        }
        return result
    }

    /// Returns the name of the declaration that begins on a line, and whether it contains declarations.
    private func header(_ line: Int) -> (name: String, isContainer: Bool)? {
        let tokens = CodeTokens(lines.mask, lines.range(line))
        let list = tokens.tokens
        guard let first = list.first else { return nil }
        if language.name == "objectivec", let name = objectiveCMethod(tokens) { return (name, false) }
        if language.name == "elixir", ["describe", "test"].contains(first.text) {
            return lines.quotedText(in: lines.range(line)).map {
                (name: $0, isContainer: first.text == "describe")
            }
        }
        for (index, token) in list.enumerated().prefix(4) {
            if language.containers.contains(token.text), let name = tokens.name(at: index + 1) {
                return (name, true)
            }
            if language.functions.contains(token.text), token.text.first?.isLetter == true {
                guard let name = functionName(tokens, at: index) else { return nil }
                return (name, false)
            }
            // A macro of Julia can be qualified, as in `Base.@kwdef struct`.
            guard token.isWord || token.text == "." else { break }
        }
        if let assigned = assignedFunction(tokens) ?? equation(tokens) { return (assigned, false) }
        guard language.hasPlainFunctions, first.isWord, !Self.control.contains(first.text),
            let open = list.firstIndex(where: { $0.text == "(" }), open > 0, list[open - 1].isWord
        else { return nil }
        if language.name == "shell" {
            // The name may contain hyphens.
            guard list.count > open + 1, list[open + 1].text == ")",
                list.count <= open + 3 || list[open + 2].text == "{"
            else { return nil }
            return (list[..<open].map(\.text).joined(), false)
        }
        guard lines.indentation(line) == 0,
            list.last?.text == "{" || list.last?.text == ")" && beginsBody(line + 1)
        else { return nil }
        return (list[open - 1].text, false)
    }

    /// Returns whether the first character of a line is the opening brace of a body.
    private func beginsBody(_ line: Int) -> Bool {
        line < lines.count && lines.indentation(line) == 0 && lines.firstByte(line) == UInt8(ascii: "{")
    }

    private func functionName(_ tokens: CodeTokens, at index: Int) -> String? {
        if let name = tokens.name(at: index + 1) {
            // A second keyword can follow the first one, as in `mutable struct` and `abstract type`.
            if name == "type" || name == "struct" { return tokens.name(at: index + 2) }
            guard language.name == "ruby", name == "self" || name.hasPrefix("self.") else {
                return ["lua", "shell"].contains(language.name)
                    ? punctuatedName(tokens, at: index + 1) ?? name : name
            }
            // A method of the class. The name may be missing, or on the next line.
            let method = String(name.dropFirst("self.".count))
            return method.isEmpty ? nil : method
        }
        // The name is an operator, or the function is anonymous and assigned to a name.
        let signs = tokens.tokens.dropFirst(index + 1).prefix { !$0.isWord && $0.text != "(" }.map(\.text)
        if signs.isEmpty { return assignedFunction(tokens) }
        return signs.joined()
    }

    /// Returns the name of a method of Lua or a function of a shell: `Account:deposit` and `make-all`.
    private func punctuatedName(_ tokens: CodeTokens, at index: Int) -> String? {
        let list = tokens.tokens[index...].prefix { $0.text != "(" && $0.text != "{" }
        return list.isEmpty ? nil : list.map(\.text).joined()
    }

    /// Returns the name to which a function is assigned, as in R and Lua: `name <- function(…)`.
    private func assignedFunction(_ tokens: CodeTokens) -> String? {
        let list = tokens.tokens
        guard language.functions.contains("function"), ["r", "lua"].contains(language.name),
            let keyword = list.firstIndex(where: { $0.text == "function" }), keyword > 1,
            ["=", "-"].contains(list[keyword - 1].text)
        else { return nil }
        let signs: Set = ["=", "<", "local"]
        let words: [String] = list[..<keyword].compactMap { token in
            // The names of operators of R have grave accents.
            if lines.mask[token.offset] == UInt8(ascii: "`"), token.isWord { return "`\(token.text)`" }
            return signs.contains(token.text) || token.text == "-" ? nil : token.text
        }
        return words.isEmpty ? nil : words.joined()
    }

    /// Returns the name of a function of Julia in the short form: `area(c::Circle) = π * c.radius^2`.
    private func equation(_ tokens: CodeTokens) -> String? {
        guard language.name == "julia" else { return nil }
        let list = tokens.tokens
        let start = Self.indexAfterMacros(list)
        guard let name = tokens.name(at: start), !Self.control.contains(name),
            let open = list.firstIndex(where: { $0.text == "(" }), start < open,
            list[start..<open].dropLast().allSatisfy({ $0.isWord || $0.text == "." }),
            list[open - 1].isWord || list[open - 1].text == "!",
            let sign = list[open...].firstIndex(where: { $0.text == "=" }),
            sign + 1 == list.count || !["=", ">"].contains(list[sign + 1].text)
        else { return nil }
        // Only the types of the result and of the parameters come between the parameters and the sign.
        let between = list[open..<sign].dropFirst(2)
        let isTyped = between.isEmpty || between.first?.text == ":" || between.first?.text == "where"
        guard isTyped, list[open..<sign].dropFirst().first?.text == ")" else { return nil }
        return list[open - 1].text == "!" ? name + "!" : name
    }

    /// Returns the index of the token after the macros before a function, such as `@inline` and
    /// `Base.@propagate_inbounds`.
    private static func indexAfterMacros(_ list: [CodeTokens.Token]) -> Int {
        var (index, start) = (0, 0)
        while index < list.count, list[index].isWord {
            let isMacro = list[index].text.hasPrefix("@")
            index += 1
            while index + 1 < list.count, list[index].text == ".", list[index + 1].isWord,
                isMacro || !list[index + 1].text.hasPrefix("@")
            {
                index += 2
            }
            if isMacro {
                start = index
            } else if index + 1 < list.count, list[index].text == ".", list[index + 1].isWord {
                // The macro is qualified.
                index += 1
            } else {
                break
            }
        }
        return start
    }

    /// Returns the selector of a method of Objective-C, such as `initWithName:age:`.
    private func objectiveCMethod(_ tokens: CodeTokens) -> String? {
        guard let first = tokens.tokens.first, first.text == "-" || first.text == "+" else { return nil }
        var name = ""
        for (index, token) in tokens.tokens.enumerated() where token.isWord {
            let next = index + 1 < tokens.tokens.count ? tokens.tokens[index + 1].text : ""
            if next == ":" { name += token.text + ":" } else if name.isEmpty { name = token.text }
        }
        return name.isEmpty ? nil : name
    }

    private func endOfObjectiveC(from line: Int, limit: Int) -> Int {
        for end in (line + 1)..<max(limit, line + 1) {
            if CodeTokens(lines.mask, lines.range(end)).tokens.first?.text == "@end" { return end + 1 }
        }
        return limit
    }

    /// Returns the index of the line after a module of Julia. Its contents are often not indented; in this
    /// case, it ends with the last `end` in its column.
    private func endOfModule(from first: Int, _ column: Int, limit: Int) -> Int {
        let body = ((first + 1)..<max(limit, first + 1)).first { lines.indentation($0) != nil }
        guard let body, lines.indentation(body) == column else {
            return end(from: first, column: column, limit: limit)
        }
        let last = (body..<limit).last { lines.indentation($0) == column && firstWord($0) == "end" }
        return last.map { $0 + 1 } ?? limit
    }

    /// Returns the index of the line after a declaration.
    private func end(from first: Int, column: Int, limit: Int) -> Int {
        var (line, end, depth) = (first, first + 1, 0)
        // Whether a comment or string that begins outside of the declaration came after its last line.
        var isOutside = false
        while line < limit {
            // A declaration in the same column ends this one even if a bracket seems to be open, for example
            // in a regular expression.
            if line > first, let indentation = lines.indentation(line), indentation <= column,
                depth == 0 || (indentation == column && header(line) != nil)
            {
                let word = firstWord(line)
                if indentation == column,
                    Self.closers.contains(word) || "})]".contains(word.prefix(1)) && !word.isEmpty
                {
                    return line + 1
                }
                guard indentation == column, Self.middles.contains(word) else { return end }
            }
            for index in lines.range(line) {
                let byte = lines.mask[index]
                if byte == UInt8(ascii: "(") || byte == UInt8(ascii: "[") { depth += 1 }
                if byte == UInt8(ascii: ")") || byte == UInt8(ascii: "]") { depth = max(0, depth - 1) }
            }
            // Comments at the end belong to the declaration if they are indented more deeply than it is.
            if lines.indentation(line) != nil {
                (end, isOutside) = (line + 1, false)
            } else if let comment = lines.indentation(line, masked: false) {
                isOutside = isOutside || comment <= column
                if !isOutside { end = line + 1 }
            }
            line += 1
        }
        return end
    }

    private func firstWord(_ line: Int) -> String {
        let bytes = lines.mask[lines.range(line)].drop { $0 <= 0x20 }.prefix {
            $0 > 0x20 && $0 != UInt8(ascii: ";")
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
