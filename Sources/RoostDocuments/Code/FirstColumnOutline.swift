/// Finds the declarations in source code of languages whose declarations begin in the first column.
struct FirstColumnOutline {
    private let lines: CodeLines
    private let language: CodeLanguage

    private static let sqlModifiers: Set = [
        "or", "replace", "temp", "temporary", "unique", "global", "local", "unlogged", "virtual", "recursive",
        "if",
        "not", "exists", "materialized", "external", "concurrently", "definer",
    ]

    init(_ lines: CodeLines, language: CodeLanguage) {
        self.lines = lines
        self.language = language
    }

    /// Returns the declarations of the text. Consecutive equations of one function are one declaration.
    func declarations() -> [CodeDeclaration] {
        var result: [CodeDeclaration] = []
        var minimum = 0
        for line in 0..<lines.count where lines.indentation(line) == 0 {
            guard let name = name(line) else { continue }
            if result.last?.name == name {
                minimum = line + 1
                continue
            }
            let start = lines.starts[lines.leadingLine(before: line, minimum: minimum)]
            if let last = result.indices.last {
                result[last].range = result[last].range.lowerBound..<start
            }
            result.append(CodeDeclaration(name: name, range: start..<lines.source.count))
            minimum = line + 1
        }
        return result
    }

    private func name(_ line: Int) -> String? {
        let tokens = CodeTokens(lines.mask, lines.range(line))
        guard let first = tokens.tokens.first else { return nil }
        switch language.name {
        case "haskell": return haskellName(tokens, first)
        case "ocaml":
            guard language.functions.contains(first.text) else { return nil }
            var index = 1
            while let name = tokens.name(at: index), ["rec", "type", "nonrec", "virtual"].contains(name) {
                index += 1
            }
            // Skip a type parameter, as in `type 'a tree`.
            if index < tokens.tokens.count, tokens.tokens[index].text == "'" { index += 2 }
            return tokens.name(at: index).flatMap { $0 == "_" ? nil : $0 }
        case "erlang":
            if first.isWord {
                let isFunction = tokens.tokens.count > 1 && tokens.tokens[1].text == "("
                return isFunction && first.text.first?.isLowercase == true ? first.text : nil
            }
            return nil
        case "clojure": return clojureName(line)
        case "sql": return sqlName(tokens, first)
        default: return nil
        }
    }

    private func haskellName(_ tokens: CodeTokens, _ first: CodeTokens.Token) -> String? {
        if language.functions.contains(first.text) {
            guard first.text != "module" else { return nil }
            // The constraints of a class or instance come before the name, followed by `=>`.
            let list = tokens.tokens
            let arrow = list.indices.dropLast().first { list[$0].text == "=" && list[$0 + 1].text == ">" }
            let name = tokens.name(at: arrow.map { $0 + 2 } ?? 1)
            return name == "instance" ? tokens.name(at: 2) : name
        }
        guard first.isWord, first.text.first?.isLowercase == true || first.text.first == "_",
            !["import", "where", "infixl", "infixr", "infix", "deriving"].contains(first.text)
        else { return nil }
        return first.text
    }

    private func clojureName(_ line: Int) -> String? {
        let text = String(decoding: lines.mask[lines.range(line)], as: UTF8.self)
        let words = text.split { $0.isWhitespace || $0 == ")" || $0 == "[" }
        guard words.count > 1, language.functions.contains(String(words[0])) else { return nil }
        return words.dropFirst().first { !$0.hasPrefix("^") }.map(String.init)
    }

    private func sqlName(_ tokens: CodeTokens, _ first: CodeTokens.Token) -> String? {
        guard first.text.lowercased() == "create" else { return nil }
        var index = 1
        func skipModifiers() {
            while index < tokens.tokens.count,
                Self.sqlModifiers.contains(tokens.tokens[index].text.lowercased())
            {
                index += 1
            }
        }
        skipModifiers()
        index += 1
        skipModifiers()
        return tokens.name(at: index)
    }
}
