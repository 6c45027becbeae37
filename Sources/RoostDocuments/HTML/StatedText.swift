/// The texts that a page states in JSON-LD: the body of an article, the ingredients and steps of a recipe or
/// of instructions, and questions with their answers.
///
/// Blocks with these texts are main content. Of the texts, only their words are compared, because a page
/// often shows them with other signs and in other elements.
struct StatedText: Sendable {
    /// The ingredients and the steps of the first recipe or instructions.
    private(set) var ingredients: [String] = []
    private(set) var steps: [String] = []

    /// The lines with less than six words, and the hash values of three successive words of longer ones.
    private var shortTexts: Set<[String]> = []
    private var wordGroups: Set<Int> = []
    private var (length, count) = (0, 0)

    /// The maximum number of bytes and of lines of all texts, and the maximum depth of nested steps.
    private static let (maximumLength, maximumCount, maximumDepth) = (1 << 20, 10_000, 6)
    /// The minimum share of groups of a text that occur in a stated one.
    private static let minimumShare = 0.9
    /// The number of words in a group, and the number of words from which a text is compared by its groups.
    /// Shorter texts occur by chance.
    private static let (groupLength, minimumWords) = (3, 6)

    /// Whether there are no texts.
    var isEmpty: Bool { shortTexts.isEmpty && wordGroups.isEmpty }

    /// Reads the object of a recipe, instructions, a question or an article.
    mutating func read(_ object: [String: Any], types: [String]) {
        if types.contains("recipe") || types.contains("howto") {
            var (first, second) = ([String](), [String]())
            for key in ["recipeIngredient", "ingredients"] where first.isEmpty {
                first = texts(in: object[key])
            }
            for key in ["recipeInstructions", "step"] where second.isEmpty { second = texts(in: object[key]) }
            if ingredients.isEmpty && steps.isEmpty { (ingredients, steps) = (first, second) }
        }
        if types.contains("question") {
            _ = texts(in: object["name"])
            for key in ["acceptedAnswer", "suggestedAnswer"] { _ = texts(in: object[key]) }
        }
        _ = texts(in: object["articleBody"])
    }

    /// Returns whether a text is stated: as a line of its own if it is short, or else most of its groups of
    /// words.
    func contains(_ text: String) -> Bool {
        let words = Self.words(of: text)
        guard words.count >= Self.minimumWords else { return shortTexts.contains(words) }
        let groups = Self.groups(of: words)
        return Double(groups.count(where: wordGroups.contains)) >= Self.minimumShare * Double(groups.count)
    }

    /// Returns the ingredients and steps as lists of Markdown, if a text shows less than half of the steps,
    /// because a script shows them; otherwise `nil`.
    func recipe(missingIn text: String) -> String? {
        guard !steps.isEmpty else { return nil }
        let shown = Set(Self.groups(of: Self.words(of: text)))
        let known = steps.count { step in
            let words = Self.words(of: step)
            let groups = Self.groups(of: words)
            return groups.count(where: shown.contains) * 2 >= groups.count
        }
        guard known * 2 < steps.count else { return nil }
        let lists = [ingredients.map { "- " + $0 }, steps.enumerated().map { "\($0 + 1). \($1)" }]
        return lists.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
    }

    /// Returns the texts of a value, one for each line, step or ingredient, and adds their words. The items
    /// of a list can be texts, steps, sections with steps, or answers.
    private mutating func texts(in value: Any?, depth: Int = 0) -> [String] {
        guard depth < Self.maximumDepth, length < Self.maximumLength else { return [] }
        switch value {
        case let text as String:
            length += text.utf8.count
            guard length < Self.maximumLength else { return [] }
            let lines = text.split(whereSeparator: \.isNewline).prefix(Self.maximumCount - count)
                .map { Self.plain(String($0)) }
            count += lines.count
            for line in lines { add(line) }
            return lines.filter { !$0.isEmpty }
        case let array as [Any]: return array.flatMap { texts(in: $0, depth: depth + 1) }
        case let object as [String: Any]:
            if let items = object["itemListElement"] { return texts(in: items, depth: depth + 1) }
            return texts(in: object["text"] ?? object["name"], depth: depth + 1)
        default: return []
        }
    }

    private mutating func add(_ text: String) {
        let words = Self.words(of: text)
        if words.count < Self.minimumWords {
            if !words.isEmpty { shortTexts.insert(words) }
        } else {
            wordGroups.formUnion(Self.groups(of: words))
        }
    }

    /// Returns the text of markup with single spaces.
    private static func plain(_ markup: String) -> String {
        guard markup.contains("&") || markup.contains("<") else { return HTMLMetadata.cleaned(markup) }
        guard let tree = GumboParser.parse(Array(markup.utf8), maximumDepth: 50) else { return "" }
        let hidden = tree.nodesWithin { $0.tag == "script" || $0.tag == "style" }
        let texts = tree.nodes.indices.filter { tree.nodes[$0].isText && !hidden[$0] }
        return HTMLMetadata.cleaned(texts.map { tree.nodes[$0].text }.joined(separator: " "))
    }

    static func words(of text: String) -> [String] {
        text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }

    /// Returns the hash values of groups of successive words; one value if there are fewer words.
    private static func groups(of words: [String]) -> [Int] {
        guard words.count > groupLength else { return [words.hashValue] }
        return (0...(words.count - groupLength)).map { Array(words[$0..<($0 + groupLength)]).hashValue }
    }
}
