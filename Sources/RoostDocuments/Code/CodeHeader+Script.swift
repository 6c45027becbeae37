extension CodeHeader {
    /// JavaScript and the languages that extend it.
    static let scriptLanguages: Set = ["javascript", "typescript", "vue", "svelte"]

    /// Returns whether the keywords `function` and `class` of JavaScript precede a name; `nil` for other
    /// keywords.
    ///
    /// - Parameter index: The index of the last keyword.
    static func isNamed(_ tokens: CodeTokens, after index: Int) -> Bool? {
        let list = tokens.tokens
        let keyword = list[index].text
        let isDefault = index > 0 && list[..<index].contains { $0.text == "default" }
        // In a class, `function` can also be the name of a method, but hardly is.
        guard keyword == "function" || isDefault && ["class", "async"].contains(keyword) else { return nil }
        var next = index + 1
        while next < list.count, list[next].text == "*" { next += 1 }
        return next < list.count && list[next].isWord && list[next].text != "extends"
    }

    /// Returns the name to which a function is assigned, as in `exports.name = function () {` and, in the
    /// body of a class, `name = async (event) => {`; `nil` for other statements.
    static func assignedFunction(_ tokens: CodeTokens) -> String? {
        let list = tokens.tokens
        guard let sign = list.firstIndex(where: { $0.text == "=" }), sign > 0,
            isFunction(list[(sign + 1)...])
        else { return nil }
        // In TypeScript, the type follows the name: `name?: Handler = …`
        let target = list[..<sign].prefix { ![":", "?", "!"].contains($0.text) }
        guard let name = target.last, name.isWord else { return nil }
        return target.allSatisfy({ $0.isWord || [".", "#"].contains($0.text) }) ? name.text : nil
    }

    /// Returns whether the rest of a header is the beginning of a function: `function (…) {`, `(…) => {` or
    /// `name => {`, perhaps after `async`.
    private static func isFunction(_ header: ArraySlice<CodeTokens.Token>) -> Bool {
        var rest = header
        if rest.first?.text == "async" { rest = rest.dropFirst() }
        if rest.first?.text == "function" { return true }
        guard rest.suffix(3).map(\.text) == ["=", ">", "{"], let first = rest.first else { return false }
        if first.text == "<" { return true }
        let behind = first.text == "(" ? rest.dropFirst(2) : rest.dropFirst()
        // The type of the result can precede the arrow: `(…): Promise<void> => {`
        return (first.text == "(" || first.isWord) && ["=", ":"].contains(behind.first?.text ?? "")
    }
}
