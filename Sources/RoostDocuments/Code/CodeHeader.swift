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
    /// The keywords after which the name of a declaration can be a string.
    private static let namedByText: Set = ["test", "module", "namespace"]
    private static let ownNames: Set = ["init", "deinit", "subscript", "constructor", "test"]

    /// Reads a header.
    ///
    /// - Parameters:
    ///   - tokens: The tokens of the statement up to its body.
    ///   - text: Returns the first string in the statement, which is the name of a test or module in some
    ///     languages.
    init(_ tokens: CodeTokens, language: CodeLanguage, hasBody: Bool, text: () -> String?) {
        var tokens = tokens
        if language.hasPlainFunctions, language.name != "objectivec" {
            tokens.removeAnnotations(except: language.containers)
        }
        let isC = ["c", "cpp"].contains(language.name)
        if isC || language.name == "objectivec" { tokens.removeSpecifiers(Self.specifiers) }
        tokens.removeFirst(Self.prefixLength(tokens))
        let plain = language.hasPlainFunctions ? Self.plainFunction(tokens, language, hasBody: hasBody) : nil
        let isScript = Self.scriptLanguages.contains(language.name)
        if isScript, hasBody, let function = Self.assignedFunction(tokens) {
            name = function
            return
        }
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
        if language.name == "zig" { isContainer = hasBody && Self.isZigContainer(tokens, after: index) }
        name = Self.declaredName(tokens, after: index, keyword, language)
        if isScript, let isNamed = Self.isNamed(tokens, after: index), !isNamed {
            // A function or class without a name can be the default export of a module.
            name = tokens.tokens[..<index].contains { $0.text == "default" } ? "default" : nil
            return
        }
        if Self.namedByText.contains(keyword), name == nil || keyword == "test" { name = text() ?? name }
        if name == nil, isContainer, keyword == "extern" || (isC && keyword == "namespace") { name = "" }
        // In Kotlin, a companion object can have no name.
        if name == nil, keyword == "object", hasBody { name = "companion" }
        if isContainer && keyword == "extern" && !hasBody { name = nil }
        // In some languages, a method can have the name of a keyword.
        if name == nil, let plain { (name, isContainer) = (plain, false) }
        // Without a body, the statement is a forward declaration.
        if !hasBody && isContainer && isC { name = nil }
    }

    /// The specifiers of C and C++ with arguments, which look like functions.
    private static let specifiers: Set = [
        "__attribute__", "__attribute", "__declspec", "alignas", "_Alignas",
    ]

    /// Returns the number of tokens of the template parameters before a declaration.
    private static func prefixLength(_ tokens: CodeTokens) -> Int {
        let list = tokens.tokens
        var index = 0
        while index < list.count, list[index].text == "template" {
            index = max(index + 1, tokens.skippingGenerics(at: index + 1))
        }
        return index
    }

    /// Returns whether a constant of Zig is a type with declarations, as in `const Name = struct { … }`.
    private static func isZigContainer(_ tokens: CodeTokens, after index: Int) -> Bool {
        let list = tokens.tokens
        guard let sign = list[index...].firstIndex(where: { $0.text == "=" }) else { return false }
        let word = list[(sign + 1)...].first { !["extern", "packed"].contains($0.text) }?.text ?? ""
        return ["struct", "union", "enum", "opaque"].contains(word)
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
        // The name of an operator of Swift can begin with `<`.
        var next = language.name == "swift" ? index + 1 : tokens.skippingGenerics(at: index + 1)
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
        if let name = tokens.name(at: next) {
            return keyword == "fun" ? extensionName(list[next...], receiver: name) : name
        }
        // The name of an operator consists of punctuation characters.
        guard ["func", "fn", "def"].contains(keyword), next < list.count else {
            return keyword == "test" ? keyword : nil
        }
        let signs = list[next...].prefix { !$0.isWord && $0.text != "(" && $0.text != "{" }.map(\.text)
        return signs.isEmpty ? nil : signs.joined()
    }

    /// Returns the name of a function of Kotlin. It follows the type that the function extends, which can
    /// have parameters, as in `fun List<Int>.total()`.
    private static func extensionName(_ list: ArraySlice<CodeTokens.Token>, receiver: String) -> String {
        guard let open = list.firstIndex(where: { $0.text == "(" }), open > list.startIndex + 1,
            list[open - 1].isWord, list[open - 2].text == ".", !receiver.hasSuffix("." + list[open - 1].text)
        else { return receiver }
        return receiver + "." + list[open - 1].text
    }

    /// Returns the name before the first parenthesis, if the statement may declare a function.
    private static func plainFunction(
        _ tokens: CodeTokens, _ language: CodeLanguage, hasBody: Bool
    ) -> String? {
        let list = tokens.tokens
        guard let open = list.firstIndex(where: { $0.text == "(" }), open > 0 else { return nil }
        if ["cpp", "csharp"].contains(language.name), let name = operatorName(list, open) { return name }
        guard !list[..<open].contains(where: { $0.text == "=" }) else { return nil }
        var first = indexBeforeGenerics(list, endingAt: open - 1)
        guard list[first].isWord else { return nil }
        while first >= 3, list[first - 1].text == ":", list[first - 2].text == ":", list[first - 3].isWord {
            first -= 3
        }
        if first > 0, list[first - 1].text == "~" { first -= 1 }
        if language.name == "csharp", hasBody { first = indexOfQualifiedName(list, endingAt: first) }
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

    /// Returns the name of an operator function, such as `operator+`; `nil` for other statements.
    private static func operatorName(_ list: [CodeTokens.Token], _ open: Int) -> String? {
        guard let sign = list[..<open].firstIndex(where: { $0.text == "operator" }) else { return nil }
        let name = list[(sign + 1)..<open]
        // The operator of a call: `operator()(…)`
        if name.isEmpty { return "operator()" }
        return "operator" + (name.first?.isWord == true ? " " : "") + name.map(\.text).joined()
    }

    /// Returns the index of the token before generic parameters, such as `<T>`, that end with a token; the
    /// index of the token if none end there.
    private static func indexBeforeGenerics(_ list: [CodeTokens.Token], endingAt last: Int) -> Int {
        guard list[last].text == ">" else { return last }
        var (index, depth) = (last, 0)
        while index > 0 {
            if list[index].text == ">" { depth += 1 }
            if list[index].text == "<" { depth -= 1 }
            index -= 1
            if depth == 0 { return index }
        }
        return last
    }

    /// Returns the index of the first word of a name that follows a type and is qualified by an interface, as
    /// in `void IDisposable.Dispose()`.
    private static func indexOfQualifiedName(_ list: [CodeTokens.Token], endingAt last: Int) -> Int {
        var first = last
        while first >= 2, list[first - 1].text == ".", list[first - 2].isWord { first -= 2 }
        return first > 0 && (list[first - 1].isWord || list[first - 1].text == ">") ? first : last
    }

    /// Returns the name of a property of C#, the last word before the body, or `this` for an indexer.
    private static func property(_ tokens: CodeTokens) -> String? {
        let list = tokens.tokens.prefix { $0.text != "{" }
        let words = list.filter(\.isWord)
        guard words.count > 1, words.allSatisfy({ !control.contains($0.text) }), let word = words.last,
            let last = list.last
        else { return nil }
        return last.isWord || (word.text == "this" && last.text == "]") ? word.text : nil
    }
}
