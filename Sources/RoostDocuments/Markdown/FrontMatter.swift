/// The keys and values of front matter.
struct FrontMatter {
    /// The keys and values, in order.
    var entries: [FrontMatterMember] = []
    /// The parts that could not be read, as messages for the user.
    var unreadParts: [String] = []

    /// The maximum number of values.
    static let maximumValues = 20_000

    /// Parses the front matter of a text.
    init(_ range: FrontMatterRange, in bytes: [UInt8]) {
        let text = bytes.text(range.content)
        switch range.language {
        case .yaml: self = YAMLFrontMatter.parse(text)
        case .toml: self = TOMLFrontMatter.parse(text)
        case .properties: self = PageProperties.parse(text)
        case .json: self = JSONFrontMatter.parse(text)
        case .titleBlock: self = TitleBlock.parse(text)
        }
    }

    /// Creates front matter.
    init(entries: [FrontMatterMember] = [], unreadParts: [String] = []) {
        self.entries = entries
        self.unreadParts = unreadParts
    }
}
