/// Finds the declarations in source code of languages whose declarations begin in the first column.
struct FirstColumnOutline {
    private let lines: CodeLines
    private let language: CodeLanguage

    private static let maximumDepth = 20
    /// The maximum number of bytes of a statement up to the name that it creates.
    private static let maximumHeaderLength = 300
    private static let sqlModifiers: Set = [
        "or", "replace", "temp", "temporary", "unique", "global", "local", "unlogged", "virtual", "recursive",
        "if",
        "not", "exists", "materialized", "external", "concurrently", "definer",
    ]

    /// The operators of Lisp that declare a name and do not contain `def`.
    private static let lispDeclarations: Set = ["use-package", "library", "module", "module+", "struct"]

    init(_ lines: CodeLines, language: CodeLanguage) {
        self.lines = lines
        self.language = language
    }

    /// Returns the declarations of the text. Consecutive equations of one function are one declaration.
    func declarations() -> [CodeDeclaration] { declarations(0..<lines.count, column: 0, depth: 0) }

    /// Returns the declarations that begin in a column of some lines.
    private func declarations(_ range: Range<Int>, column: Int, depth: Int) -> [CodeDeclaration] {
        var result: [CodeDeclaration] = []
        var headers: [Int] = []
        var minimum = range.lowerBound
        for line in range where lines.indentation(line) == column {
            guard let name = name(line) else { continue }
            if result.last?.name == name {
                minimum = line + 1
                continue
            }
            let start = lines.starts[lines.leadingLine(before: line, minimum: minimum)]
            if let last = result.indices.last {
                result[last].range = result[last].range.lowerBound..<start
            }
            result.append(CodeDeclaration(name: name, range: start..<lines.starts[range.upperBound]))
            headers.append(line)
            minimum = line + 1
        }
        guard language.name == "ocaml", depth < Self.maximumDepth else { return result }
        for index in result.indices {
            let next = index + 1 < headers.count ? headers[index + 1] : range.upperBound
            result[index].children = members(headers[index]..<next, column: column, depth: depth + 1)
        }
        return result
    }

    /// Returns the declarations in a module of OCaml, which are indented; none for other declarations.
    private func members(_ range: Range<Int>, column: Int, depth: Int) -> [CodeDeclaration] {
        let body = (range.lowerBound + 1)..<range.upperBound
        guard CodeTokens(lines.mask, lines.range(range.lowerBound)).tokens.first?.text == "module",
            let inner = body.lazy.compactMap({ lines.indentation($0) }).first, inner > column
        else { return [] }
        return declarations(body, column: inner, depth: depth)
    }

    private func name(_ line: Int) -> String? {
        var range = lines.range(line)
        if language.name == "sql" {
            // The name can be on a later line.
            range = range.lowerBound..<min(lines.mask.count, range.lowerBound + Self.maximumHeaderLength)
        }
        let tokens = CodeTokens(lines.mask, range)
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
            if first.text == "let", index < tokens.tokens.count, tokens.tokens[index].text == "(" {
                return operatorName(from: tokens.tokens[index].offset, line)
            }
            return tokens.name(at: index).flatMap { $0 == "_" ? nil : $0 }
        case "erlang": return erlangName(tokens, first)
        case "clojure", "emacslisp", "commonlisp", "scheme": return lispName(line)
        case "sql": return sqlName(tokens, first)
        default: return nil
        }
    }

    /// Returns the operator between the parentheses that begin at an offset; `nil` if it is not one.
    private func operatorName(from start: Int, _ line: Int) -> String? {
        let text = lines.mask[(start + 1)..<lines.range(line).upperBound].prefix { $0 != UInt8(ascii: ")") }
        let name = text.filter { $0 > 0x20 }
        let signs = "!#$%&*+./<=>?@\\^|-~:".utf8
        guard !name.isEmpty, name.allSatisfy(signs.contains) else { return nil }
        return String(decoding: name, as: UTF8.self)
    }

    private func erlangName(_ tokens: CodeTokens, _ first: CodeTokens.Token) -> String? {
        let list = tokens.tokens
        guard !first.isWord else {
            guard list.count > 1, list[1].text == "(" else { return nil }
            return first.text.first?.isLowercase == true ? first.text : nil
        }
        guard first.text == "-", list.count > 2 else { return nil }
        switch list[1].text {
        // The specification of a function and its clauses are one declaration.
        case "spec", "type", "opaque", "callback": return tokens.name(at: 2)
        case "record":
            let name = lines.mask[(list[2].offset + 1)..<lines.range(line(of: first)).upperBound]
                .prefix { CodeMask.isNameByte($0) }
            return name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
        default: return nil
        }
    }

    private func line(of token: CodeTokens.Token) -> Int { lines.line(of: token.offset) }

    private func haskellName(_ tokens: CodeTokens, _ first: CodeTokens.Token) -> String? {
        if first.text == "(" { return operatorName(from: first.offset, line(of: first)) }
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

    /// Returns the name after the operator of a form such as `(defun name`, `(define (name` or
    /// `(cl-defstruct (name`.
    private func lispName(_ line: Int) -> String? {
        let text = String(decoding: lines.mask[lines.range(line)], as: UTF8.self)
        let words = text.split { $0.isWhitespace || $0 == ")" || $0 == "[" }
        guard words.count > 1, let form = words.first, form.first == "(", isDeclaration(form) else {
            return nil
        }
        for word in words.dropFirst() where !word.hasPrefix("^") {
            let name = word.drop { "(#'`:".contains($0) }
            // The name of a function that sets a value is a list: `(setf name)`.
            if !name.isEmpty, name != "setf" { return String(name) }
        }
        return nil
    }

    /// Returns whether the first word of a form of Lisp declares a name. Macros with other names declare
    /// names in all dialects but Clojure, where few do.
    private func isDeclaration(_ form: Substring) -> Bool {
        if language.name == "clojure" { return language.functions.contains(String(form)) }
        let name = (form.split(separator: ":").last ?? "").drop { $0 == "(" }.lowercased()
        return name.hasPrefix("def") || name.contains("-def") || Self.lispDeclarations.contains(name)
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
