/// The beginning of a statement, up to its body, which determines whether it is a declaration.
struct CodeHeader {
    /// The name of the declaration; `nil` if the statement is not a declaration. Empty for a block that
    /// only groups declarations, such as `extern "C" { … }`.
    private(set) var name: String?
    /// Whether the body is searched for declarations.
    private(set) var isContainer = false

    private static let control: Set = [
        "if", "for", "while", "switch", "catch", "return", "sizeof", "else", "do", "try", "assert", "await",
        "new",
        "typeof", "with", "foreach", "using", "lock", "synchronized", "defined", "throw", "delete", "case",
        "__attribute__", "alignas", "__declspec", "noexcept", "decltype", "require", "import", "export",
    ]
    private static let ownNames: Set = ["init", "deinit", "subscript", "constructor", "test"]

    init(_ tokens: CodeTokens, language: CodeLanguage, hasBody: Bool) {
        let isC = ["c", "cpp"].contains(language.name)
        let plain = language.hasPlainFunctions ? Self.plainFunction(tokens, language, hasBody: hasBody) : nil
        guard let index = Self.keyword(tokens, language) else {
            name = plain ?? (language.name == "csharp" && hasBody ? Self.property(tokens) : nil)
            return
        }
        let keyword = tokens.tokens[index].text
        if isC, let plain {
            name = plain
            return
        }
        isContainer = language.containers.contains(keyword)
        name = Self.declaredName(tokens, after: index, keyword, language)
        if name == nil, isContainer, keyword == "extern" { name = "" }
        // In Kotlin, a companion object can have no name.
        if name == nil, keyword == "object", hasBody { name = "companion" }
        if isContainer && keyword == "extern" && !hasBody { name = nil }
        // In some languages, a method can have the name of a keyword.
        if name == nil, let plain { (name, isContainer) = (plain, false) }
        // Without a body, the statement is a forward declaration.
        if !hasBody && isContainer && isC { name = nil }
    }

    /// Returns the index of the last of the consecutive keywords that begin a declaration; `nil` for other
    /// statements.
    private static func keyword(_ tokens: CodeTokens, _ language: CodeLanguage) -> Int? {
        func isKeyword(_ index: Int) -> Bool {
            guard index < tokens.tokens.count else { return false }
            let text = tokens.tokens[index].text
            return language.containers.contains(text) || language.functions.contains(text)
        }
        for (index, token) in tokens.tokens.enumerated() {
            if ["=", "{", "?"].contains(token.text) { return nil }
            guard isKeyword(index) else { continue }
            if index > 0, tokens.tokens[index - 1].text == "." { continue }
            var last = index
            while isKeyword(last + 1), !ownNames.contains(tokens.tokens[last + 1].text) || last == index {
                last += 1
            }
            return last
        }
        return nil
    }

    private static func declaredName(
        _ tokens: CodeTokens, after index: Int, _ keyword: String, _ language: CodeLanguage
    ) -> String? {
        if language.name == "swift", ownNames.contains(keyword) { return keyword }
        var next = tokens.skippingGenerics(at: index + 1)
        let list = tokens.tokens
        if language.name == "kotlin", ownNames.contains(keyword) { return keyword }
        if keyword == "impl" {
            let target = list.indices.first { list[$0].text == "for" && $0 > index }
            return tokens.name(at: target.map { $0 + 1 } ?? next)
        }
        // Skip the `*` of a generator, the `!` of a macro, and the `&` of a reference.
        while next < list.count, ["*", "!", "&"].contains(list[next].text) { next += 1 }
        if language.name == "go", keyword == "func", next < list.count, list[next].text == "(" {
            // Skip the receiver. The tokens omit the contents of parentheses: `( ) Name ( )`.
            return tokens.name(at: next + 2)
        }
        if let name = tokens.name(at: next) { return name }
        // The name of an operator consists of punctuation characters.
        guard ["func", "fn", "def"].contains(keyword), next < list.count else {
            return keyword == "test" ? keyword : nil
        }
        let signs = list[next...].prefix { !$0.isWord && $0.text != "(" && $0.text != "{" }.map(\.text)
        return signs.isEmpty ? nil : signs.joined()
    }

    /// Returns the name before the first parenthesis, if the statement may declare a function.
    private static func plainFunction(
        _ tokens: CodeTokens, _ language: CodeLanguage, hasBody: Bool
    ) -> String? {
        let list = tokens.tokens
        guard let open = list.firstIndex(where: { $0.text == "(" }), open > 0 else { return nil }
        if list[..<open].contains(where: { $0.text == "=" }) {
            guard let sign = list[..<open].firstIndex(where: { $0.text == "operator" }) else { return nil }
            return "operator" + list[(sign + 1)..<open].map(\.text).joined()
        }
        var first = open - 1
        guard list[first].isWord else { return nil }
        while first >= 3, list[first - 1].text == ":", list[first - 2].text == ":", list[first - 3].isWord {
            first -= 3
        }
        if first > 0, list[first - 1].text == "~" { first -= 1 }
        if first > 1,
            list[first - 1].text == "." || list[first - 1].text == ">" && list[first - 2].text == "-"
        {
            return nil
        }
        guard let name = tokens.name(at: first), !control.contains(name),
            !list[..<open].contains(where: { control.contains($0.text) && $0.text != "export" })
        else { return nil }
        let words = list[..<open].count { $0.isWord }
        let isTyped = ["c", "cpp", "java", "csharp"].contains(language.name)
        return hasBody || (isTyped && words > 1) ? name : nil
    }

    /// Returns the name of a property of C#: the last word before the body.
    private static func property(_ tokens: CodeTokens) -> String? {
        let words = tokens.tokens.filter(\.isWord)
        guard words.count > 1, let last = tokens.tokens.last, last.isWord, !control.contains(last.text) else {
            return nil
        }
        return words.allSatisfy { !control.contains($0.text) } ? last.text : nil
    }
}
